/** The conversation of one session: the newest page first, older ones on scrolling up. */
import {LitElement, html, nothing} from 'lit';
import {repeat} from 'lit/directives/repeat.js';
import {get} from './api.js';
import {card, json} from './cards.js';
import {count, duration, money, time} from './format.js';
import {markdown, plain} from './words.js';

const PAGE = 50;
const AT_END_PX = 40;
const RETRY_MS = 2_000;

class Transcript extends LitElement {
  static properties = {
    page: {attribute: false},
    session: {attribute: false},
    revision: {attribute: false},
    messages: {state: true},
    problem: {state: true},
    unseen: {state: true},
  };

  /** Ids of tool calls whose cards are open, and of those that are shown in full. */
  #open = new Set();
  #whole = new Set();
  /** The requests of turns that were opened, by the number of the answer: the service's answer, a problem, or null while it is read. */
  #sent = new Map();
  #firstPage = null;
  /** Whether this conversation is being read, and whether new messages have arrived since that read began. */
  #reads = {busy: false, again: false};
  #before = null;
  #follows = true;

  constructor() {
    super();
    this.messages = null;
    this.unseen = 0;
  }

  createRenderRoot() {
    return this;
  }

  willUpdate(changed) {
    if (changed.has('session') && changed.get('session')?.id !== this.session?.id) {
      this.messages = null;
      this.problem = null;
      this.unseen = 0;
      this.#before = null;
      this.#follows = true;
      this.#sent = new Map();
      this.#reads = {busy: false, again: false};
      this.#firstPage = this.#load();
    }
  }

  /** A message of this session was committed: new ones are read. */
  messageArrived() {
    this.#loadNewer();
  }

  /**
   * Reads a page of this conversation, one at a time.
   *
   * @param {string} query
   * @param {(page: object) => void} take not called if another conversation is shown by then
   * @returns {Promise<object | null>} the problem that prevented it
   */
  async #read(query, take) {
    const reads = this.#reads;
    reads.busy = true;
    try {
      const page = await get(`/v1/sessions/${this.session.id}/messages?${query}`);
      if (reads === this.#reads) {
        await take(page);
      }
      return null;
    } catch (problem) {
      return reads === this.#reads ? problem : null;
    } finally {
      reads.busy = false;
      if (reads.again && reads === this.#reads) {
        reads.again = false;
        this.#loadNewer();
      }
    }
  }

  async #load() {
    this.problem = await this.#read(`sort=-seq&limit=${PAGE}`, (page) => {
      this.messages = page.items.reverse();
      this.#before = page.next_cursor;
    });
    if (this.problem) {
      this.#later(() => this.messages ?? this.#load());
    }
  }

  async #loadNewer() {
    if (this.#reads.busy) {
      this.#reads.again = true;
    } else if (this.messages !== null) {
      const last = this.messages.at(-1)?.seq ?? 0;
      const problem = await this.#read(`after_seq=${last}&limit=200`, (page) => {
        this.messages = [...this.messages, ...page.items];
        this.unseen = this.#follows ? 0 : this.unseen + page.items.length;
        this.#reads.again ||= page.next_cursor !== null;
      });
      if (problem) {
        this.#later(() => this.#loadNewer());
      }
    }
  }

  /** What could not be read is read again; what was read stays. */
  #later(read) {
    setTimeout(() => this.isConnected && read(), RETRY_MS);
  }

  /** Shows a message, which may be one that is not read yet. */
  async reveal(seq) {
    this.#follows = false;
    await this.#firstPage;
    for (let before; this.#before !== before && (this.messages?.[0]?.seq ?? 0) > seq;) {
      before = this.#before;
      await this.#loadOlder();
    }
    await this.updateComplete;
    const scroller = this.querySelector('.messages');
    const message = scroller?.querySelector(`[data-seq="${seq}"]`);
    if (message) {
      scroller.scrollTop += message.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
    }
  }

  async #loadOlder() {
    if (this.#before === null || this.#reads.busy) {
      return;
    }
    const scroller = this.querySelector('.messages');
    await this.#read(`sort=-seq&before_seq=${this.#before}&limit=${PAGE}`, async (page) => {
      const height = scroller.scrollHeight;
      this.messages = [...page.items.reverse(), ...this.messages];
      this.#before = page.next_cursor;
      await this.updateComplete;
      scroller.scrollTop += scroller.scrollHeight - height;
    });
  }

  updated() {
    this.querySelectorAll('pre.live').forEach((output) => {
      output.scrollTop = output.scrollHeight;
    });
    if (this.#follows) {
      const scroller = this.querySelector('.messages');
      if (scroller) {
        scroller.scrollTop = scroller.scrollHeight;
      }
    }
  }

  #scrolled(event) {
    const scroller = event.currentTarget;
    this.#follows = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < AT_END_PX;
    if (this.#follows) {
      this.unseen = 0;
    }
    if (scroller.scrollTop < 200) {
      this.#loadOlder();
    }
  }

  #toEnd() {
    this.#follows = true;
    this.unseen = 0;
    this.requestUpdate();
  }

  render() {
    if (this.problem) {
      return html`<p class="problem" role="alert">${this.problem.message}</p>`;
    }
    if (this.messages === null) {
      return html`<p class="quiet">Loading the conversation…</p>`;
    }
    const results = new Map();
    this.messages.forEach((message) => message.content.filter((part) => part.type === 'tool_result').forEach((part) => results.set(part.tool_call_id, part)));
    return html`
      <div class="messages" tabindex="0" role="log" aria-label="Conversation" @scroll=${this.#scrolled}>
        ${this.messages.length === 0 ? html`<p class="quiet">No messages yet.</p>` : nothing}
        ${repeat(this.messages, (message) => message.id, (message) => this.#message(message, results))}
        ${this.#speech()}
      </div>
      ${this.unseen > 0 ? html`<button class="unseen" @click=${this.#toEnd}>↓ ${this.unseen} new</button>` : nothing}`;
  }

  /** The answer that the model gives now. */
  #speech() {
    const call = this.page.steps.get(this.session.id)?.phases.findLast((phase) => phase.kind === 'model');
    const words = this.page.speech(this.session.id);
    return call && call.to === null
      ? html`<article class="message assistant" aria-live="off"><p class="turn live">${plain(call.name)} answers · ${duration(this.page.now - call.from)}</p>
        ${words ? html`<div class="words">${markdown(words)}</div>` : nothing}</article>`
      : nothing;
  }

  #message(message, results) {
    if (message.role === 'tool') {
      return nothing;
    }
    if (message.kind === 'summary') {
      return html`<p class="summary"><span>Messages ${message.covers.from_seq} to ${message.covers.to_seq} are sent as this summary</span></p>
        <div class="message system">${this.#text(message)}</div>`;
    }
    if (message.kind === 'notice' && message.role === 'user') {
      return this.#notice(message);
    }
    return html`<article class="message ${message.role}" data-seq=${message.seq} aria-label=${this.#label(message)}>
      ${message.role === 'assistant' ? this.#turn(message) : html`<p class="who">${message.role === 'user' ? 'user' : 'service'} · ${time(message.created_at, this.page.now)}</p>`}
      ${this.#text(message)}
      ${message.content.filter((part) => part.type === 'tool_call').map((call) => this.#call(call, results))}
    </article>`;
  }

  #label(message) {
    return `${message.role === 'assistant' ? 'Answer' : 'Message'} ${message.seq} of ${message.role}`;
  }

  #turn(message) {
    const usage = message.usage;
    return html`<p class="turn">
      ${time(message.created_at, this.page.now)} · ${plain(message.model ?? '')}
      ${usage ? html` · ${count(usage.input_tokens)} → ${count(usage.output_tokens)} tokens · cost ${money(usage.cost)}` : nothing}
      ${message.model_ms ? html` · ${duration(message.model_ms)}` : nothing}
      ${message.model_attempts > 1 ? html` · attempt ${message.model_attempts}` : nothing}
      ${this.page.keepsSent ? html` · <button class="link" aria-expanded=${this.#sent.has(message.seq)} @click=${() => this.#toggleSent(message.seq)}>what was sent</button>` : nothing}
    </p>
    ${this.#sent.has(message.seq) ? html`<div class="sent">${sent(this.#sent.get(message.seq))}</div>` : nothing}`;
  }

  async #toggleSent(seq) {
    if (this.#sent.delete(seq)) {
      this.requestUpdate();
      return;
    }
    const opened = this.#sent;
    opened.set(seq, null);
    this.requestUpdate();
    opened.set(seq, await get(`/v1/sessions/${this.session.id}/messages/${seq}/sent`).catch((problem) => problem));
    this.requestUpdate();
  }

  #text(message) {
    return message.content
      .filter((part) => part.type === 'text' && part.text !== '')
      .map((part) => html`<div class="words">${message.role === 'system' ? html`<p class="pre">${plain(part.text)}</p>` : markdown(part.text)}</div>`);
  }

  #notice(message) {
    const task = this.page.tree.tasks.get(message.task_id);
    const lag = task?.ended_at ? duration(Date.parse(message.created_at) - Date.parse(task.ended_at)) : null;
    const text = message.content.filter((part) => part.type === 'text').map((part) => part.text).join('\n');
    return html`<details class="notice">
      <summary>${task
        ? html`Result of <a href=${this.page.link(task.session_id)}>${plain(task.subagent_type)} “${plain(task.description)}”</a> arrived${lag ? html` after ${lag}` : nothing}`
        : html`Note of the service`} · ${time(message.created_at, this.page.now)}</summary>
      <pre class="output" tabindex="0">${plain(text)}</pre>
    </details>`;
  }

  #call(call, results) {
    const step = this.page.steps.get(this.session.id)?.calls.get(call.id);
    return card(call, results.get(call.id), step, {
      ...this.page,
      open: this.#open,
      whole: this.#whole,
      changed: () => this.requestUpdate(),
    });
  }
}

/** The request of a turn; null while it is read. */
function sent(found) {
  if (found === null) {
    return html`<p class="quiet">Loading…</p>`;
  }
  if (found instanceof Error || found.truncated) {
    return html`<p class="quiet">${plain(found.message ?? 'This request was too large to be kept.')}</p>`;
  }
  return json(found.request);
}

customElements.define('e-transcript', Transcript);
