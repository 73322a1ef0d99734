/** What a person can do: ask, stop, run again. */
import {LitElement, html, nothing} from 'lit';
import {post} from './api.js';
import {plural} from './format.js';
import {plain} from './words.js';

/** Sends a message. The same key and text are one message, however often it is sent. */
export function ask(session, text, key) {
  return post(`/v1/sessions/${session}/messages`, {text}, {'Idempotency-Key': key});
}

/** Opens a root session. */
export function open(fields, key) {
  return post('/v1/sessions', fields, {'Idempotency-Key': key});
}

/**
 * Asks the person, then cancels a session with everything below it.
 *
 * @returns the problem that prevented it, or null
 */
export async function confirmStop(session, tree, name) {
  const below = tree.liveTasksBelow(session.id);
  const answer = await dialog(
    `Stop “${name}”?`,
    below === 0 ? 'This cancels this run.' : `This cancels this run and ${plural(below, 'task')} below it.`,
    'Stop', 'Keep running');
  if (!answer) {
    return null;
  }
  try {
    const task = tree.taskOf(session.id);
    await (task && !task.ended_at ? post(`/v1/tasks/${task.id}/cancel`) : post(`/v1/sessions/${session.id}/cancel`));
    return null;
  } catch (problem) {
    return problem;
  }
}

/** @returns {Promise<boolean>} whether the person agreed to the action */
export function dialog(title, text, action, refusal) {
  const element = document.createElement('e-dialog');
  Object.assign(element, {heading: title, text, action, refusal});
  document.body.append(element);
  return element.answer;
}

class Dialog extends LitElement {
  static properties = {heading: {attribute: false}, text: {attribute: false}, action: {attribute: false}, refusal: {attribute: false}};

  #resolve;
  answer = new Promise((resolve) => {
    this.#resolve = resolve;
  });

  createRenderRoot() {
    return this;
  }

  firstUpdated() {
    this.querySelector('dialog').showModal();
  }

  #close(answer) {
    this.#resolve(answer);
    this.remove();
  }

  render() {
    return html`<dialog aria-labelledby="dialog-title" @cancel=${() => this.#close(false)}>
      <h2 id="dialog-title">${plain(this.heading)}</h2>
      <p>${plain(this.text)}</p>
      <p class="buttons"><button autofocus @click=${() => this.#close(false)}>${this.refusal}</button>
        <button class="danger" @click=${() => this.#close(true)}>${this.action}</button></p>
    </dialog>`;
  }
}

/** A box for a message. What was not accepted stays in it, and is sent again with the same key. */
class Ask extends LitElement {
  static properties = {
    to: {attribute: false},
    send: {attribute: false},
    text: {attribute: false},
    label: {attribute: false},
    busy: {state: true},
    problem: {state: true},
  };

  #key = null;

  constructor() {
    super();
    this.text = '';
    this.label = 'Ask, or write a message to this agent';
  }

  createRenderRoot() {
    return this;
  }

  willUpdate(changed) {
    if (changed.has('to') && changed.get('to') !== undefined) {
      this.#reset();
    }
  }

  #reset() {
    this.#key = null;
    this.text = '';
    this.problem = null;
  }

  #edited(event) {
    this.text = event.target.value;
    this.#key = null;
  }

  async #submit(event) {
    event?.preventDefault();
    const text = this.text.trim();
    if (text === '' || this.busy) {
      return;
    }
    this.busy = true;
    this.#key ??= crypto.randomUUID();
    try {
      await this.send(text, this.#key);
      this.#reset();
    } catch (problem) {
      this.problem = problem;
    } finally {
      this.busy = false;
    }
  }

  #pressed(event) {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
      this.#submit(event);
    }
  }

  render() {
    return html`<form class="ask" @submit=${this.#submit}>
      ${this.problem ? html`<p class="problem" role="alert">${plain(this.problem.at('text') ?? this.problem.at('prompt') ?? this.problem.message)}
        <button type="submit">Retry</button></p>` : nothing}
      <textarea rows="2" aria-label=${this.label} placeholder=${this.label} .value=${this.text} @input=${this.#edited} @keydown=${this.#pressed}></textarea>
      <button type="submit" ?disabled=${this.busy || this.text.trim() === ''}>Send <span aria-hidden="true">⏎</span></button>
    </form>`;
  }
}

customElements.define('e-dialog', Dialog);
customElements.define('e-ask', Ask);
