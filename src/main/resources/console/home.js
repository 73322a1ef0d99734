/** What needs attention, the roots that run, the last ones, and a box to ask. */
import {LitElement, html, nothing} from 'lit';
import {get, post} from './api.js';
import {dialog, open} from './actions.js';
import {ago, count, money, plural} from './format.js';
import {STATES} from './grid.js';
import {tokens} from './tree.js';
import {plain} from './words.js';

const POLL_MS = 2_000;

class Home extends LitElement {
  static properties = {
    me: {attribute: false},
    link: {attribute: false},
    again: {attribute: false},
    attention: {state: true},
    roots: {state: true},
    agents: {state: true},
    agent: {state: true},
    prompt: {state: true},
    problem: {state: true},
    stale: {state: true},
  };

  #timer;
  #skew = 0;

  constructor() {
    super();
    this.agents = [];
    this.prompt = '';
    this.agent = '';
  }

  createRenderRoot() {
    return this;
  }

  connectedCallback() {
    super.connectedCallback();
    this.#poll();
    this.#timer = setInterval(() => document.hidden || this.#poll(), POLL_MS);
    this.#readAgents();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.#timer);
  }

  willUpdate(changed) {
    if (changed.has('again') && this.again) {
      this.#prefill(this.again);
    }
  }

  async #poll() {
    try {
      const [attention, roots] = await Promise.all([get('/v1/attention'), get('/v1/sessions?roots=true&limit=30')]);
      this.#skew = Date.parse(attention.now) - Date.now();
      Object.assign(this, {attention, roots: roots.items, stale: null});
    } catch (problem) {
      this.stale = {problem, since: this.stale?.since ?? Date.now()};
    }
  }

  async #readAgents() {
    try {
      const found = await get('/v1/agents');
      this.agents = found.items.filter((agent) => agent.mode !== 'subagent').map((agent) => agent.name);
      this.agent ||= this.agents[0] ?? '';
    } catch {
      this.agents = [];
    }
  }

  async #prefill(id) {
    try {
      const [session, messages] = await Promise.all([get(`/v1/sessions/${id}`), get(`/v1/sessions/${id}/messages?limit=1`)]);
      this.agent = session.agent;
      this.prompt = messages.items[0]?.content.find((part) => part.type === 'text')?.text ?? '';
      await this.updateComplete;
      this.querySelector('textarea')?.focus();
    } catch (problem) {
      this.problem = problem;
    }
  }

  /** Opens a root and sends the message. Both have keys made from one, so that a repetition opens no second root. */
  async #ask(text, key) {
    const session = await open({agent: this.agent || undefined}, key);
    await post(`/v1/sessions/${session.id}/messages`, {text}, {'Idempotency-Key': key});
    this.dispatchEvent(new CustomEvent('navigate', {detail: session.id, bubbles: true}));
  }

  async #do(path) {
    try {
      this.problem = null;
      await post(path);
      await this.#poll();
    } catch (problem) {
      this.problem = problem;
    }
  }

  async #dismiss(delivery) {
    if (await dialog('Dismiss this delivery?', 'It will not be sent again.', 'Dismiss', 'Keep it')) {
      await this.#do(`/v1/deliveries/${delivery.id}/dismiss`);
    }
  }

  #mayOperate() {
    return ['operator', 'admin'].includes(this.me?.role);
  }

  #mayAsk() {
    return ['agent', 'operator', 'admin'].includes(this.me?.role);
  }

  #now() {
    return Date.now() + this.#skew;
  }

  render() {
    if (!this.attention) {
      return this.stale
        ? html`<p class="problem" role="alert">${plain(this.stale.problem.message)}</p>`
        : html`<p class="quiet">Loading…</p>`;
    }
    const running = this.roots.filter((root) => root.live_tasks > 0 || ['running', 'queued', 'waiting'].includes(root.state));
    const others = this.roots.filter((root) => !running.includes(root));
    return html`<div class="home ${this.stale ? 'stale' : ''}">
      ${this.stale ? html`<p class="problem" role="status">Stale since ${new Date(this.stale.since).toLocaleTimeString()}: ${plain(this.stale.problem.message)}</p>` : nothing}
      ${this.problem ? html`<p class="problem" role="alert">${plain(this.problem.message)}</p>` : nothing}
      ${this.#attention()}
      ${running.length > 0 ? this.#list('Running', running) : nothing}
      ${others.length > 0 ? this.#list('Last', others) : nothing}
      ${this.#mayAsk() ? this.#askBox() : nothing}
    </div>`;
  }

  #attention() {
    const found = this.attention;
    const lines = [
      ...found.dead_deliveries.items.map((delivery) => this.#deadDelivery(delivery)),
      this.#more(found.dead_deliveries, 'dead delivery', 'dead deliveries'),
      ...found.failed_sessions.items.map((session) => this.#failedSession(session)),
      this.#more(found.failed_sessions, 'failed session', 'failed sessions'),
      ...found.overdue_tasks.items.map((task) => this.#line('stuck', html`<a href=${this.link(task.id)}>${plain(task.description)}</a> should have ended by its time-out`, task.started_at)),
      this.#group('model away', found.sessions_without_model, 'session', 'waits for its model', 'wait for their models', (session) => session.waits_for?.since),
      this.#group('no worker', found.sessions_without_worker, 'session', 'waits for a worker', 'wait for a worker', (session) => session.updated_at),
      this.#group('notices', found.sessions_with_notices, 'session', 'has results that no turn has read', 'have results that no turn has read', (session) => session.updated_at),
      ...found.pauses.map((pause) => this.#line('paused', html`${plain(pause.name ?? 'everything')}: ${plain(pause.reason)}`, pause.created_at)),
    ].filter((line) => line !== nothing);
    return html`<section aria-labelledby="attention">
      <h1 id="attention">Needs attention</h1>
      ${lines.length === 0
        ? html`<p class="all-well">Nothing needs you.${found.last_ended_at ? ` Last task ended ${ago(found.last_ended_at, this.#now())}.` : ' No task has ended yet.'}</p>`
        : html`<ul class="lines">${lines}</ul>`}
    </section>`;
  }

  #line(kind, text, since, buttons = nothing) {
    return html`<li><span class="kind">${kind}</span><span class="what">${text}</span>
      <span class="quiet since">${since ? ago(since, this.#now()) : nothing}</span><span class="buttons">${buttons}</span></li>`;
  }

  #deadDelivery(delivery) {
    const to = delivery.target === 'session' ? 'its parent' : 'its webhook';
    return this.#line('dead letter', html`<a href=${this.link(delivery.task_id ?? delivery.session_id)}>A ${delivery.kind.replace('_', ' ')}</a> could not be delivered to ${to}: ${plain(delivery.last_error ?? '')}`,
      delivery.dead_at,
      this.#mayOperate() ? html`<button @click=${() => this.#do(`/v1/deliveries/${delivery.id}/retry`)}>Retry</button> <button @click=${() => this.#dismiss(delivery)}>Dismiss</button>` : nothing);
  }

  #failedSession(session) {
    return this.#line('failed', html`<a href=${this.link(session.id)}>${plain(title(session))}</a> ${plain(session.last_error?.message ?? '')}`,
      session.last_error?.at,
      this.#mayAsk() ? html`<button @click=${() => this.#do(`/v1/sessions/${session.id}/resume`)}>Resume</button>` : nothing);
  }

  #more(some, word, words) {
    const rest = some.count - some.items.length;
    return rest > 0 ? this.#line('', `and ${rest === 999 ? 'more than ' : ''}${plural(rest, word, words)} more`, null) : nothing;
  }

  #group(kind, some, word, does, all, since) {
    if (some.count === 0) {
      return nothing;
    }
    const links = some.items.slice(0, 3).map((session, index) => html`${index > 0 ? ', ' : ''}<a href=${this.link(session.id)}>${plain(title(session))}</a>`);
    return this.#line(kind, html`${plural(some.count, word)} ${some.count === 1 ? does : all}: ${links}${some.count > 3 ? ', …' : ''}`, since(some.items[0]));
  }

  #list(heading, roots) {
    return html`<section aria-label=${heading}><h2>${heading}</h2><ul class="lines roots">
      ${roots.map((root) => {
        const state = rootState(root);
        return html`<li><span class="state ${state}">${STATES[state]?.[0]} ${STATES[state]?.[1]}</span>
          <a class="what" href=${this.link(root.id)}>${plain(title(root))}</a>
          <span class="quiet">${plain(root.agent)}</span>
          <span class="quiet">${tokens(root.usage) === 0 ? nothing : html`${count(tokens(root.usage))} tokens · cost ${money(root.usage.cost)}`}</span>
          <span class="quiet since">${ago(root.updated_at, this.#now())}</span></li>`;
      })}
    </ul></section>`;
  }

  #askBox() {
    return html`<section class="new" aria-label="New session">
      <label class="quiet">Ask <select aria-label="Agent" .value=${this.agent} @change=${(event) => { this.agent = event.target.value; }}>
        ${[...new Set([...this.agents, this.agent].filter((name) => name !== ''))].map((name) => html`<option value=${name} ?selected=${name === this.agent}>${plain(name)}</option>`)}
      </select></label>
      <e-ask .text=${this.prompt} .label=${'What should the agent do?'} .send=${(text, key) => this.#ask(text, key)}></e-ask>
    </section>`;
  }
}

/** A root at rest waits for its tasks: their results wake it. */
function rootState(root) {
  if (root.state !== 'idle') {
    return root.state;
  }
  return root.live_tasks > 0 ? 'waiting' : root.last_error ? 'failed' : 'idle';
}

function title(session) {
  return session.title ?? session.opening ?? `${session.agent}, no message yet`;
}

customElements.define('e-home', Home);
