/** The tree of agents with bars on one time axis. Only the rows in view are in the document. */
import {LitElement, html, nothing} from 'lit';
import {repeat} from 'lit/directives/repeat.js';
import {count, duration, money, plural, round, short} from './format.js';
import {hasEnded, tokens} from './tree.js';
import {plain} from './words.js';
import {vars} from './vars.js';

export const ROW_PX = 28;
const AROUND = 12;
const TICKS = [100, 250, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000, 86_400_000];

export const STATES = {
  idle: ['○', 'at rest'],
  queued: ['◌', 'queued'],
  pending: ['◌', 'queued'],
  running: ['●', 'running'],
  waiting: ['◐', 'waits'],
  closed: ['⊘', 'closed'],
  completed: ['✓', 'completed'],
  failed: ['✕', 'failed'],
  timed_out: ['◷', 'timed out'],
  cancelled: ['⊘', 'cancelled'],
};

/** What a session waits for, in words. */
export function waitWords(session, tree, now) {
  const wait = session.waits_for ?? tree.taskOf(session.id)?.waits_for;
  if (!wait) {
    return session.state === 'idle' ? `waits for ${plural(tree.liveTasksBelow(session.id), 'subagent')}` : null;
  }
  const next = wait.until ? `, next try in ${short(Date.parse(wait.until) - now)}` : '';
  switch (wait.reason) {
    case 'answer':
    case 'below':
      return `waits for ${plural(Math.max(1, tree.liveTasksBelow(session.id)), 'subagent')}`;
    case 'model':
      return `model away${next}`;
    case 'retry':
      return `retries${wait.until ? ` in ${short(Date.parse(wait.until) - now)}` : ''}`;
    case 'limit':
      return 'waits for room at its parent';
    case 'slot':
      return 'waits for a free run';
    case 'child':
      return 'waits for its session';
    case 'memory':
      return 'waits for memory';
    case 'pause':
      return `paused: ${session.pause?.reason ?? 'by an operator'}`;
    case 'quota':
      return 'waits for its quota';
    default:
      return `waits for ${wait.reason}`;
  }
}

class Grid extends LitElement {
  static properties = {
    page: {attribute: false},
    revision: {attribute: false},
    selected: {attribute: false},
    words: {attribute: false},
    top: {state: true},
    height: {state: true},
  };

  /** Ids of sessions whose children are hidden, and of those whose turns are shown. */
  #closed = new Set();
  #withTurns = new Set();
  #unfolded = new Set();
  #rows = [];
  /** The time since the beginning of the axis, and its length, in ms. */
  #clock = {now: 0, length: 1_000};
  #resized = new ResizeObserver(([entry]) => {
    this.height = entry.contentRect.height;
  });

  constructor() {
    super();
    this.top = 0;
    this.height = 600;
    this.words = '';
  }

  createRenderRoot() {
    return this;
  }

  updated() {
    this.#drawClock();
  }

  /** Moves the end of what lasts. */
  setClock(now, length) {
    this.#clock = {now, length};
    this.#drawClock();
  }

  /** On the bars in view alone: as a variable of the whole grid, each change would cost the style of every element. */
  #drawClock() {
    for (const element of this.querySelectorAll('.bars, .ticks')) {
      element.style.setProperty('--now', String(this.#clock.now));
      element.style.setProperty('--length', String(this.#clock.length));
    }
  }

  firstUpdated() {
    this.#resized.observe(this.querySelector('.rows'));
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#resized.disconnect();
  }

  willUpdate() {
    const turnsOf = (id) => (this.#withTurns.has(id) ? this.page.steps.get(id)?.turns ?? [] : []);
    this.#rows = this.page.tree.rows(this.#closed, this.#unfolded, turnsOf, this.#filter());
  }

  /** Shows a session, opening what contains it. */
  reveal(id) {
    const tree = this.page.tree;
    for (let at = tree.sessions.get(id); at; at = tree.sessions.get(at.parent_id)) {
      this.#closed.delete(at.parent_id);
      this.#unfolded.add(`${at.parent_id}/${at.agent}`);
    }
    this.requestUpdate();
    this.updateComplete.then(() => this.#scrollTo(id));
  }

  #scrollTo(id) {
    const index = this.#rows.findIndex((row) => row.key === id);
    const box = this.querySelector('.rows');
    if (index >= 0 && (index * ROW_PX < box.scrollTop || (index + 1) * ROW_PX > box.scrollTop + this.height)) {
      box.scrollTop = index * ROW_PX - this.height / 2;
    }
  }

  /** Selects the next session that failed. */
  nextFailure() {
    const failed = this.#rows.filter((row) => row.session && ['failed', 'timed_out'].includes(this.page.tree.stateOf(row.session)));
    const at = failed.findIndex((row) => row.key === this.selected);
    if (failed.length > 0) {
      this.#select(failed[(at + 1) % failed.length].key);
    }
  }

  /** The ids of the sessions whose rows are in view. */
  inView() {
    return this.#visible().filter((row) => row.session).map((row) => row.key);
  }

  #filter() {
    const words = this.words.trim().toLowerCase().split(/\s+/).filter((word) => word !== '');
    if (words.length === 0) {
      return null;
    }
    const tree = this.page.tree;
    return (session) => {
      const text = `${name(session, tree)} ${session.agent} ${tree.stateOf(session)} ${STATES[tree.stateOf(session)]?.[1] ?? ''}`.toLowerCase();
      return words.every((word) => text.includes(word));
    };
  }

  #visible() {
    const first = Math.max(0, Math.floor(this.top / ROW_PX) - AROUND);
    return this.#rows.slice(first, first + Math.ceil(this.height / ROW_PX) + 2 * AROUND);
  }

  #select(id) {
    this.dispatchEvent(new CustomEvent('select-session', {detail: id, bubbles: true}));
  }

  #key(event) {
    const index = this.#rows.findIndex((row) => row.key === this.selected);
    const row = this.#rows[index];
    const move = (to) => {
      const next = this.#rows.slice(Math.max(0, to)).find((one) => one.session);
      if (next) {
        this.#select(next.key);
        this.#scrollTo(next.key);
      }
    };
    const keys = {
      ArrowDown: () => move(index + 1),
      ArrowUp: () => {
        const before = this.#rows.slice(0, Math.max(0, index)).findLast((one) => one.session);
        if (before) {
          this.#select(before.key);
          this.#scrollTo(before.key);
        }
      },
      Home: () => move(0),
      ArrowRight: () => (row?.parent && !row.open ? this.#open(row, true) : row && this.#showTurns(row.key, true)),
      ArrowLeft: () => this.#left(row),
      n: () => this.nextFailure(),
    };
    if (keys[event.key] && !event.altKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      keys[event.key]();
    }
  }

  /** Hides the turns, then the children, then goes to the parent. */
  #left(row) {
    if (this.#withTurns.has(row?.key)) {
      this.#showTurns(row.key, false);
    } else if (row?.parent && row.open) {
      this.#open(row, false);
    } else if (row?.session.parent_id) {
      this.#select(row.session.parent_id);
      this.#scrollTo(row.session.parent_id);
    }
  }

  #showTurns(id, shown) {
    if (shown) {
      this.#withTurns.add(id);
    } else {
      this.#withTurns.delete(id);
    }
    this.requestUpdate();
  }

  #open(row, open) {
    if (row?.parent) {
      if (open) {
        this.#closed.delete(row.key);
      } else {
        this.#closed.add(row.key);
      }
      this.requestUpdate();
    }
  }

  #toggleFold(row) {
    if (!this.#unfolded.delete(row.key)) {
      this.#unfolded.add(row.key);
    }
    this.requestUpdate();
  }

  render() {
    const visible = this.#visible();
    const first = this.#rows.indexOf(visible[0]);
    const axis = this.page.axis;
    return html`
      <div class="axis" aria-hidden="true">
        <span class="col-name"></span>
        <span class="col-facts">turns · calls</span><span class="col-tokens">tokens</span><span class="col-cost" title="own cost, and with everything below">cost · total</span>
        <span class="ticks">${ticks(axis).map((tick) => html`<span class="tick" ${vars({from: tick})}>${round(tick)}</span>`)}</span>
      </div>
      <div class="rows" role="tree" tabindex="0" aria-label="Agents" aria-activedescendant=${this.selected ? `row-${this.selected}` : nothing}
        @keydown=${this.#key} @scroll=${(event) => { this.top = event.currentTarget.scrollTop; }}>
        <div class="space" ${vars({rows: this.#rows.length})}>
          ${repeat(visible, (row) => row.key, (row, index) => this.#row(row, first + index))}
        </div>
      </div>`;
  }

  #row(row, index) {
    if (row.fold) {
      return this.#foldRow(row, index);
    }
    return row.turn ? this.#turnRow(row, index) : this.#sessionRow(row, index);
  }

  #turnRow(row, index) {
    const {turn, of, lines, depth} = row;
    const calls = toolNames(turn);
    const show = () => this.dispatchEvent(new CustomEvent('select-turn', {detail: {session: of.id, seq: turn.seq}, bubbles: true}));
    return html`<div class="row turn-row" role="treeitem" aria-level=${depth + 1} aria-label=${`turn ${turn.number} of ${of.agent}, ${calls || 'no tool calls'}`} ${vars({index})} @click=${show}>
      <span class="col-name">${guides(lines)}<span class="twist"></span>
        <span class="quiet">turn ${turn.number}</span> <span class="description">${plain(calls)}</span>
        ${turn.failed ? html`<span class="word failed">model call failed</span>` : nothing}</span>
      <span class="col-facts"></span>
      <span class="col-tokens">${turn.usage ? count(tokens(turn.usage)) : nothing}</span>
      <span class="col-cost">${turn.usage ? money(turn.usage.cost) : nothing}</span>
      <span class="bars" aria-hidden="true">${turn.phases.map((phase) => bar(phase, this.page.axis.from, null))}</span>
    </div>`;
  }

  #foldRow(row, index) {
    const counts = [...row.counts].map(([state, amount]) => html` <span class="state ${state}">${STATES[state]?.[0]}${amount}</span>`);
    return html`<div class="row fold" ${vars({index})}>
      <span class="col-name">${guides(row.lines)}
        <button class="link" aria-expanded=${row.open} @click=${() => this.#toggleFold(row)}>${row.open ? '▾' : '▸'} ${plain(row.agent)} × ${row.size}</button>${counts}</span>
    </div>`;
  }

  #sessionRow(row, index) {
    const {tree, now} = this.page;
    const session = row.session;
    const state = tree.stateOf(session);
    const task = tree.taskOf(session.id);
    const wait = state === 'waiting' || task?.state === 'pending' ? waitWords(session, tree, now) : null;
    const total = tree.totals(session.id);
    const [icon, word] = STATES[state] ?? ['?', state];
    return html`<div class="row ${this.selected === session.id ? 'selected' : ''}" id="row-${session.id}" role="treeitem" aria-level=${row.depth + 1}
      aria-selected=${this.selected === session.id} aria-expanded=${row.parent ? row.open : nothing}
      aria-label=${sentence(session, task, word, wait, tree)} ${vars({index})} @click=${() => this.#select(session.id)}>
      <span class="col-name">${guides(row.lines)}
        ${row.parent ? html`<button class="twist" tabindex="-1" aria-hidden="true" @click=${(event) => { event.stopPropagation(); this.#open(row, !row.open); }}>${row.open ? '▾' : '▸'}</button>` : html`<span class="twist"></span>`}
        <span class="state ${state}">${icon}</span>
        <span class="agent">${plain(session.agent)}</span>
        <span class="description">${plain(name(session, tree))}</span>
        ${task?.attempts > 1 ? html`<span class="badge">attempt ${task.attempts}${this.page.attemptsOf(session.agent)}</span>` : nothing}
        ${task?.takeovers > 0 ? html`<span class="badge" title="taken over after its worker was lost">⟲${task.takeovers}</span>` : nothing}
        <span class="word ${state}">${plain(wait ?? word)}</span></span>
      <button class="col-facts" tabindex="-1" title="show its turns" aria-expanded=${this.#withTurns.has(session.id)}
        @click=${() => this.#showTurns(session.id, !this.#withTurns.has(session.id))}>${session.usage.turns} · ${session.usage.tool_calls}</button>
      <span class="col-tokens">${count(tokens(session.usage))}</span>
      <span class="col-cost">${costs(session, row.parent ? total : null)}</span>
      <span class="bars" aria-hidden="true">${bars(session, task, this.page)}${this.selected === session.id ? this.#delivery(session, task, index) : nothing}</span>
    </div>`;
  }

  /** A line from the end of a task to its parent, which its result reached. */
  #delivery(session, task, index) {
    const parent = this.#rows.findIndex((row) => row.key === session.parent_id);
    if (!task?.ended_at || !task.delivered_at || parent < 0) {
      return nothing;
    }
    const end = Date.parse(task.ended_at);
    const read = this.page.steps.get(session.parent_id)?.marks.find((mark) => mark.taskId === task.id)?.at;
    const words = `delivered ${duration(Date.parse(task.delivered_at) - end)}${read ? ` · resumed ${duration(read - end)}` : ''}`;
    const at = {from: end - this.page.axis.from, up: index - parent};
    const isLate = at.from > this.page.axis.length * 0.6;
    return html`<span class="delivery" ${vars(at)}></span><span class="lag ${isLate ? 'before' : ''}" ${vars(at)}>${words}</span>`;
  }
}

/** What a session cost, once it had a turn, and what it cost with everything below, if that is known. */
function costs(session, total) {
  const own = session.usage.turns > 0 ? [money(session.usage.cost)] : [];
  const all = (total?.cost ?? null) === null ? [] : [money(total.cost)];
  return [...own, ...all].join(' · ');
}

/** "grep ×6, read": the tools that a turn called. */
function toolNames(turn) {
  const names = new Map();
  turn.phases.filter((phase) => phase.kind === 'tool').forEach((phase) => names.set(phase.name, (names.get(phase.name) ?? 0) + 1));
  return [...names].map(([tool, times]) => (times === 1 ? tool : `${tool} ×${times}`)).join(', ');
}

/** The description of the newest task, or the title or first words of a root. */
export function name(session, tree) {
  const task = tree.taskOf(session.id);
  return task?.description || session.title || session.opening || '(no title)';
}

function sentence(session, task, word, wait, tree) {
  return `${session.agent} “${name(session, tree)}” ${wait ?? word}, ${plural(session.usage.turns, 'turn')}, cost ${money(session.usage.cost)}${task?.takeovers ? `, taken over ${task.takeovers} times` : ''}`;
}

function guides(lines) {
  return lines.map((more, index) => html`<span class="guide ${index === lines.length - 1 ? 'last' : ''} ${more ? 'more' : ''}"></span>`);
}

function bars(session, task, page) {
  const origin = page.axis.from;
  const steps = page.steps.get(session.id);
  const end = task?.ended_at ? Date.parse(task.ended_at) : null;
  const phases = steps?.phases ?? fallback(session, task);
  return html`${phases.map((phase) => bar(phase, origin, end))}
    ${(steps?.marks ?? []).map((mark) => html`<span class="mark-${mark.kind}" ${vars({from: mark.at - origin})}>${mark.kind === 'notice' ? '◀' : '⌇'}</span>`)}
    ${end && task && hasEnded(task.state) ? html`<span class="cap ${task.state}" ${vars({from: end - origin})}>${STATES[task.state][0]}</span>` : nothing}`;
}

function bar(phase, origin, end) {
  const to = phase.to ?? end;
  const classes = `bar ${phase.kind} ${phase.failed ? 'failed' : ''} ${to === null ? 'open' : ''}`;
  return to === null
    ? html`<span class=${classes} ${vars({from: phase.from - origin})}></span>`
    : html`<span class=${classes} ${vars({from: phase.from - origin, ms: Math.max(0, to - phase.from)})}></span>`;
}

/** What is drawn before the events of a session were read, or when they are kept no longer. */
function fallback(session, task) {
  const from = Date.parse(session.created_at);
  return task?.ended_at
    ? [{kind: 'running', from: Date.parse(task.started_at ?? task.created_at), to: Date.parse(task.ended_at)}]
    : [{kind: 'rest', from, to: session.state === 'closed' ? Date.parse(session.updated_at) : null}];
}

function ticks(axis) {
  const step = TICKS.find((size) => axis.length / size <= 6) ?? TICKS.at(-1) * Math.ceil(axis.length / TICKS.at(-1) / 6);
  return Array.from({length: Math.floor(axis.length / step + 0.6)}, (_, index) => index * step);
}

customElements.define('e-grid', Grid);
