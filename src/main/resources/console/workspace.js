/** The tree of one root, and the conversation of the selected agent. */
import {LitElement, html, nothing} from 'lit';
import {EventStream, get, post} from './api.js';
import {ask, confirmStop} from './actions.js';
import {money, plural, time} from './format.js';
import {STATES, name, waitWords} from './grid.js';
import {Steps} from './steps.js';
import {Tree, hasEnded} from './tree.js';
import {plain} from './words.js';
import './transcript.js';

const REFRESH_MS = 60_000;
const HIDDEN_MS = 10_000;
const FRAME_MS = 100;
const RETRY_MS = 2_000;
const STEPS_AT_ONCE = 60;
const RECENT_EVENTS = 5_000;
const TASK_EVENTS = /^(subagent|background_task)\./;

class Workspace extends LitElement {
  static properties = {
    id: {attribute: false},
    me: {attribute: false},
    link: {attribute: false},
    problem: {state: true},
    revision: {state: true},
    words: {state: true},
    narrow: {state: true},
  };

  #tree = new Tree();
  #steps = new Map();
  #asked = new Set();
  /** What the models of sessions have said of messages that are not committed yet. */
  #speech = new Map();
  /** How often an agent's task is tried at most. */
  #attempts = new Map();
  /** Events that arrived while the steps before them may still be read. */
  #recent = [];
  #selected = null;
  #stream = null;
  #skew = 0;
  #timers = [];
  #dirty = false;
  /** The second of the last drawing: durations in words change once a second. */
  #second = 0;
  #hiddenSince = null;
  #visibility = () => this.#visibilityChanged();
  /** A page that was left is kept by the browser, with its connection, of which there are six for all pages. */
  #left = () => this.#close();
  #returned = (event) => event.persisted && this.#refresh();

  constructor() {
    super();
    this.revision = 0;
    this.words = '';
  }

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    this.#timers = [setInterval(() => this.#tick(), FRAME_MS), setInterval(() => this.#isLive() && this.#refresh(), REFRESH_MS)];
    document.addEventListener('visibilitychange', this.#visibility);
    addEventListener('pagehide', this.#left);
    addEventListener('pageshow', this.#returned);
    this.#readAgents();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.#timers.forEach(clearInterval);
    document.removeEventListener('visibilitychange', this.#visibility);
    removeEventListener('pagehide', this.#left);
    removeEventListener('pageshow', this.#returned);
    this.#close();
  }

  willUpdate(changed) {
    if (changed.has('id') && this.id !== this.#selected) {
      this.#show(this.id);
    }
  }

  async #readAgents() {
    try {
      const agents = await get('/v1/agents');
      this.#attempts = new Map(agents.items.map((agent) => [agent.name, agent.max_retries + 1]));
    } catch {
      // The number of an attempt is shown without that of all.
    }
  }

  async #show(id) {
    this.problem = null;
    try {
      const session = await resolve(id);
      if (this.#tree.sessions.has(session)) {
        this.#choose(session);
        return;
      }
      this.#close();
      this.#tree = new Tree();
      this.#steps = new Map();
      this.#asked = new Set();
      this.#recent = [];
      this.#speech = new Map();
      await this.#refresh(session);
      this.#choose(session);
      this.updateComplete.then(() => this.querySelector('e-grid')?.reveal(session));
    } catch (problem) {
      this.problem = problem;
      if (problem.status === 0 || problem.status === 503) {
        setTimeout(() => this.isConnected && this.id === id && this.#show(id), RETRY_MS);
      }
    }
  }

  async #refresh(id = this.#tree.rootId) {
    try {
      const snapshot = await get(`/v1/sessions/${id}/tree`);
      this.#skew = Date.parse(snapshot.now) - Date.now();
      this.#tree.reset(snapshot);
      this.#changed();
      this.#open();
    } catch (problem) {
      if (this.#tree.sessions.size === 0) {
        throw problem;
      }
    }
  }

  #open() {
    if (this.#stream || !this.#isLive() || document.hidden) {
      return;
    }
    let wasLost = false;
    this.#stream = new EventStream(`/v1/sessions/${this.#tree.top.id}/events?tree=true&deltas=true`, this.#tree.cursor, {
      event: (number, event) => this.#event(number, event),
      passing: (event) => this.#spoken(event),
      state: (state) => {
        this.#announce(state);
        if (state.live && wasLost) {
          this.#refresh();
        }
        wasLost = !state.live;
      },
    });
  }

  #close() {
    this.#stream?.close();
    this.#stream = null;
    this.#announce(null);
  }

  /** @param {import('./api.js').StreamState | null} state null when nothing is to be followed */
  #announce(state) {
    document.dispatchEvent(new CustomEvent('errand-stream', {detail: state}));
  }

  /** A root that is at rest is followed, too: a message of another client may wake it. */
  #isLive() {
    const top = this.#tree.top;
    return top !== undefined && top.state !== 'closed';
  }

  #visibilityChanged() {
    if (document.hidden) {
      this.#hiddenSince = Date.now();
    } else {
      this.#hiddenSince = null;
      if (!this.#stream) {
        this.#refresh();
      }
    }
  }

  #event(number, event) {
    const session = event.source.split('/').at(-1);
    this.#tree.apply(number, event);
    if (!TASK_EVENTS.test(event.type)) {
      this.#stepsOf(session).add(number, event);
      this.#recent.push({number, event});
      this.#recent.splice(0, this.#recent.length - RECENT_EVENTS);
    }
    if (event.type === 'model.started' || event.type === 'model.ended') {
      this.#speech.delete(session);
    }
    if (event.type === 'session.message' && session === this.#selected) {
      this.querySelector('e-transcript')?.messageArrived();
    }
    this.#dirty = true;
  }

  /** Words of a model while it speaks. What was dropped on the way is shown as missing. */
  #spoken(event) {
    if (event.type === 'message.delta') {
      const session = event.source.split('/').at(-1);
      const {offset, text} = event.data;
      const known = offset === 0 ? '' : this.#speech.get(session) ?? '';
      this.#speech.set(session, known.length < offset ? `${known}${' … '.padEnd(offset - known.length)}${text}` : known.slice(0, offset) + text);
      this.#dirty ||= session === this.#selected;
    }
  }

  #stepsOf(session) {
    if (!this.#steps.has(session)) {
      this.#steps.set(session, new Steps());
    }
    return this.#steps.get(session);
  }

  /** Reads the steps of the rows in view that were not read yet; the stream brings later ones. */
  async #readSteps() {
    const missing = (this.querySelector('e-grid')?.inView() ?? []).filter((id) => !this.#asked.has(id)).slice(0, STEPS_AT_ONCE);
    if (missing.length === 0) {
      return;
    }
    missing.forEach((id) => this.#asked.add(id));
    const read = new Map(missing.map((id) => [id, new Steps()]));
    try {
      let after = 0;
      do {
        const page = await get(`/v1/timeline?sessions=${missing.join(',')}&after=${after}&limit=5000`);
        page.items.forEach(({number, event}) => read.get(event.source.split('/').at(-1))?.add(number, event));
        after = page.next_cursor;
      } while (after !== null);
      this.#recent.forEach(({number, event}) => read.get(event.source.split('/').at(-1))?.add(number, event));
      read.forEach((steps, id) => this.#steps.set(id, steps));
      this.#dirty = true;
    } catch {
      setTimeout(() => missing.forEach((id) => this.#asked.delete(id)), RETRY_MS);
    }
  }

  /** The clock of the bars is one variable; everything else is drawn when something changed. */
  #tick() {
    if (document.hidden) {
      if (this.#hiddenSince !== null && Date.now() - this.#hiddenSince > HIDDEN_MS && this.#stream) {
        this.#close();
      }
      return;
    }
    const grid = this.querySelector('e-grid');
    if (grid) {
      const axis = this.#axis();
      grid.setClock(this.#now() - axis.from, axis.length);
    }
    this.#readSteps();
    if (this.#dirty || Math.floor(Date.now() / 1_000) !== this.#second) {
      this.#second = Math.floor(Date.now() / 1_000);
      this.#changed();
    }
  }

  #changed() {
    this.#dirty = false;
    this.revision++;
  }

  #now() {
    return Date.now() + this.#skew;
  }

  /** From the creation of the tree to now, or to the last end. */
  #axis() {
    const sessions = [...this.#tree.sessions.values()];
    const from = Math.min(...sessions.map((session) => Date.parse(session.created_at)));
    const live = sessions.some((session) => ['running', 'queued', 'waiting'].includes(session.state));
    const to = live ? this.#now() : Math.max(from, ...sessions.map((session) => Date.parse(session.updated_at)));
    return {from, length: Math.max(1_000, to - from)};
  }

  #choose(id) {
    this.#selected = id;
    this.narrow = false;
    this.#changed();
  }

  #selectTurn(event) {
    const {session, seq} = event.detail;
    this.#select({detail: session});
    this.updateComplete.then(() => this.querySelector('e-transcript')?.reveal(seq));
  }

  #select(event) {
    this.#choose(event.detail);
    this.dispatchEvent(new CustomEvent('navigate', {detail: event.detail, bubbles: true}));
  }

  async #stop(session) {
    this.problem = await confirmStop(session, this.#tree, name(session, this.#tree));
  }

  render() {
    if (this.problem && this.#tree.sessions.size === 0) {
      return html`<section class="empty" role="alert"><h1>${this.problem.status === 404 ? 'There is nothing with this id' : 'This cannot be shown'}</h1>
        <p>${plain(this.problem.message)}</p><p><a href=${this.link('')}>Back to the overview</a></p></section>`;
    }
    const top = this.#tree.top;
    if (!top) {
      return html`<p class="quiet">Loading…</p>`;
    }
    const page = {
      tree: this.#tree,
      steps: this.#steps,
      now: this.#now(),
      axis: this.#axis(),
      link: this.link,
      stateWord: (state) => STATES[state]?.[1] ?? state,
      taskOfCall: (call) => this.#taskOfCall(call),
      speech: (id) => this.#speech.get(id),
      keepsSent: this.me?.keeps_sent,
      attemptsOf: (agent) => (this.#attempts.has(agent) ? `/${this.#attempts.get(agent)}` : ''),
    };
    const session = this.#tree.sessions.get(this.#selected) ?? top;
    return html`
      ${this.#head(top, page)}
      <div class="workspace">
        <section class="tree" aria-label="Tree of agents">
          <div class="tools"><input type="search" aria-label="Filter by words, agent or state" placeholder="Filter" .value=${this.words} @input=${(event) => { this.words = event.target.value; }} />
            ${this.#tree.truncated ? html`<span class="quiet">the oldest ${this.#tree.sessions.size} sessions of a larger tree</span>` : nothing}</div>
          <e-grid .page=${page} .revision=${this.revision} .words=${this.words} .selected=${session.id} @select-session=${this.#select} @select-turn=${this.#selectTurn}></e-grid>
        </section>
        <section class="conversation" aria-label="Conversation of the selected agent">
          ${this.#sessionHead(session, page)}
          <e-transcript .page=${page} .revision=${this.revision} .session=${session}></e-transcript>
          ${this.#askBox(session)}
        </section>
      </div>`;
  }

  #head(top, page) {
    const state = this.#tree.stateOf(top);
    const totals = this.#tree.totals(top.id);
    const below = this.#tree.liveTasksBelow(top.id);
    return html`<header class="head">
      <h1>${plain(name(top, this.#tree))}</h1>
      <span class="state ${state}">${STATES[state]?.[0]} ${plain((state === 'waiting' && waitWords(top, this.#tree, page.now)) || STATES[state]?.[1] || state)}</span>
      <span class="quiet">${plain(top.agent)} · ${plain(top.model)}</span>
      <span class="quiet">${plural(this.#tree.tasks.size, 'task')}</span>
      <span>cost ${money(totals.cost)}</span>
      <span class="fill"></span>
      ${this.#mayChange() && (below > 0 || ['running', 'queued', 'waiting'].includes(top.state))
        ? html`<button class="danger" @click=${() => this.#stop(top)}>Stop${below > 0 ? ` ${below}…` : '…'}</button>` : nothing}
      ${this.#mayOpen() ? html`<a class="button" href=${this.link(`?again=${top.id}`)}>Run again</a>` : nothing}
    </header>
    ${this.problem ? html`<p class="problem" role="alert">${plain(this.problem.message)}</p>` : nothing}`;
  }

  #sessionHead(session, page) {
    const task = this.#tree.taskOf(session.id);
    const error = task?.error ?? (this.#tree.stateOf(session) === 'failed' ? session.last_error : null);
    return html`<div class="session-head">
      <div class="title"><h2><span class="state ${this.#tree.stateOf(session)}">${STATES[this.#tree.stateOf(session)]?.[0]}</span> ${plain(session.agent)} “${plain(name(session, this.#tree))}”</h2>
        ${task && !task.ended_at && this.#mayChange() ? html`<button class="danger" @click=${() => this.#stop(session)}>Stop…</button>` : nothing}
        ${!task && this.#tree.stateOf(session) === 'failed' && this.#mayChange() ? html`<button @click=${() => this.#resume(session)}>Resume</button>` : nothing}</div>
      <p class="quiet">${session.id}${task ? html` · ${task.id}` : nothing}</p>
      <p class="quiet">${plain(session.model)}${task ? html` · ${task.background ? 'background' : 'foreground'}` : nothing}
        ${task?.ended_at ? html` · ended ${time(task.ended_at, page.now)}` : nothing}
        ${task?.delivered_at && task.ended_at ? html` · delivered ${Date.parse(task.delivered_at) - Date.parse(task.ended_at)} ms later` : nothing}</p>
      ${error ? html`<p class="problem"><strong>${plain(error.code)}</strong> ${plain(error.message ?? '')}</p>` : nothing}
    </div>`;
  }

  async #resume(session) {
    try {
      await post(`/v1/sessions/${session.id}/resume`);
      this.problem = null;
    } catch (problem) {
      this.problem = problem;
    }
  }

  #askBox(session) {
    if (!this.#mayChange() || session.kind === 'external' || session.state === 'closed' || hasEnded(this.#tree.taskOf(session.id)?.state)) {
      return nothing;
    }
    return html`<e-ask .to=${session.id} .send=${(text, key) => ask(session.id, text, key)}></e-ask>`;
  }

  #mayChange() {
    return ['agent', 'operator', 'admin', 'session'].includes(this.me?.role);
  }

  #mayOpen() {
    return ['agent', 'operator', 'admin'].includes(this.me?.role);
  }

  /** The task that a call of the selected session delegated: the order of calls is that of tasks. */
  #taskOfCall(call) {
    if (!['task', 'spawn'].includes(call.name)) {
      return undefined;
    }
    return [...this.#tree.tasks.values()].find((task) => task.parent_session_id === this.#selected && task.description === call.arguments?.description);
  }
}

/** The session that an id leads to. */
async function resolve(id) {
  if (id.startsWith('task_')) {
    return (await get(`/v1/tasks/${id}`)).session_id;
  }
  if (id.startsWith('dlv_')) {
    const delivery = await get(`/v1/deliveries/${id}`);
    return delivery.task_id === null ? delivery.session_id : resolve(delivery.task_id);
  }
  return id;
}

customElements.define('e-workspace', Workspace);
