/** One tool call with its result, as a card that opens. */
import {html, nothing} from 'lit';
import {duration, bytes, plural} from './format.js';
import {plain, terminal} from './words.js';

const CAP = 64 * 1_024;
const ONE_LINE = 80;
/** Larger values of a JSON tree are closed at first. */
const OPEN_TO = 12;

/**
 * @param {object} call of the message: id, name, arguments
 * @param {object | undefined} result of the message that follows; undefined while there is none
 * @param {object | undefined} step the call as its events tell it
 * @param {{tree: object, now: number, open: Set<string>, whole: Set<string>, changed: () => void}} page
 */
export function card(call, result, step, page) {
  const open = page.open.has(call.id);
  const state = stateOf(result, step);
  const toggle = () => {
    if (!page.open.delete(call.id)) {
      page.open.add(call.id);
    }
    page.changed();
  };
  return html`<div class="card ${state}">
    <button class="card-head" aria-expanded=${open} @click=${toggle}>
      <span class="twist" aria-hidden="true">${open ? '▾' : '▸'}</span>
      <span class="tool">${plain(call.name)}</span>
      <span class="title">${plain(step?.title ?? title(call))}</span>
      <span class="facts">${facts(result, step, page.now)}</span>
      <span class="mark">${MARKS[state]}</span>
    </button>
    ${open ? html`<div class="card-body">${body(call, result, step, page)}</div>` : live(result, step)}
    ${delegation(call, page)}
  </div>`;
}

const MARKS = {
  done: html`<span class="sr">succeeded</span><span aria-hidden="true">✓</span>`,
  failed: html`<span class="sr">failed</span><span aria-hidden="true">✕</span>`,
  running: html`<span class="sr">running</span><span aria-hidden="true">●</span>`,
};

function stateOf(result, step) {
  if (result) {
    return result.is_error ? 'failed' : 'done';
  }
  return step?.ended && step.failed ? 'failed' : 'running';
}

function facts(result, step, now) {
  const parts = [];
  if (result?.text) {
    parts.push(plural(result.text.split('\n').length, 'line'));
  }
  if (step) {
    parts.push(duration((step.ended ?? (result ? step.to : null) ?? now) - step.from));
  }
  return parts.join(' · ');
}

/** The argument that says most, in one line. */
function title(call) {
  const given = call.arguments ?? {};
  const said = given.description ?? given.command ?? given.file_path ?? given.pattern ?? given.query ?? given.url ?? '';
  return typeof said === 'string' ? said.split('\n')[0].slice(0, 200) : '';
}

/** What a running call has written so far, also while its card is closed. */
function live(result, step) {
  return !result && step?.output ? html`<pre class="output live" tabindex="0">${terminal(step.output)}</pre>` : nothing;
}

function body(call, result, step, page) {
  switch (call.name) {
    case 'edit':
      return html`${diff(call.arguments)}${text(result, call.id, page)}`;
    case 'write':
      return html`${added(call.arguments)}${text(result, call.id, page)}`;
    case 'bash':
      return html`<pre class="command" tabindex="0">${plain(String(call.arguments?.command ?? ''))}</pre>${text(result, call.id, page, terminal)}${live(result, step)}`;
    default:
      return html`${json(call.arguments)}${text(result, call.id, page)}${live(result, step)}`;
  }
}

function text(result, id, page, format = plain) {
  if (!result?.text) {
    return nothing;
  }
  const whole = page.whole.has(id) || result.text.length <= CAP;
  const showAll = () => {
    page.whole.add(id);
    page.changed();
  };
  return html`<pre class="output ${result.is_error ? 'error' : ''}" tabindex="0">${format(whole ? result.text : result.text.slice(0, CAP))}</pre>
    ${whole ? nothing : html`<p class="cap">first ${bytes(CAP)} of ${bytes(result.text.length)}, <button class="link" @click=${showAll}>show all</button></p>`}`;
}

function added(given) {
  return html`<p class="path">${plain(String(given?.file_path ?? ''))}</p>
    <pre class="diff" tabindex="0">${lines(String(given?.content ?? '').slice(0, CAP)).map((line) => html`<span class="plus">+ ${plain(line)}\n</span>`)}</pre>`;
}

/** Removed and added lines, with the words that differ marked. */
function diff(given) {
  const before = lines(String(given?.old_string ?? ''));
  const after = lines(String(given?.new_string ?? ''));
  let start = 0;
  while (start < Math.min(before.length, after.length) && before[start] === after[start]) {
    start++;
  }
  let end = 0;
  while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end)) {
    end++;
  }
  const removed = before.slice(start, before.length - end);
  const added = after.slice(start, after.length - end);
  const pairs = removed.length === added.length;
  return html`<p class="path">${plain(String(given?.file_path ?? ''))}</p><pre class="diff" tabindex="0">${[
    ...before.slice(Math.max(0, start - 3), start).map((line) => html`  ${plain(line)}\n`),
    ...removed.map((line, index) => html`<span class="minus">- ${pairs ? marked(line, added[index]) : plain(line)}\n</span>`),
    ...added.map((line, index) => html`<span class="plus">+ ${pairs ? marked(line, removed[index]) : plain(line)}\n</span>`),
    ...(end === 0 ? [] : after.slice(-end).slice(0, 3)).map((line) => html`  ${plain(line)}\n`),
  ]}</pre>`;
}

/** A line in which what the other one has not is marked. */
function marked(line, other) {
  let from = 0;
  while (from < Math.min(line.length, other.length) && line[from] === other[from]) {
    from++;
  }
  let to = 0;
  while (to < Math.min(line.length, other.length) - from && line.at(-1 - to) === other.at(-1 - to)) {
    to++;
  }
  return html`${plain(line.slice(0, from))}<mark>${plain(line.slice(from, line.length - to))}</mark>${plain(line.slice(line.length - to))}`;
}

function lines(content) {
  return content.replace(/\n$/, '').split('\n');
}

/** A JSON value as a tree that opens; what fits into one line is one. */
export function json(value) {
  return html`<div class="json">${node(value)}</div>`;
}

function node(value, key) {
  const label = key === undefined ? nothing : html`<span class="key">${plain(key)}</span> `;
  const short = JSON.stringify(value) ?? '';
  if (value === null || typeof value !== 'object') {
    const words = typeof value === 'string' ? value : short;
    const cut = words.length <= CAP ? nothing : html`<span class="cap"> first ${bytes(CAP)} of ${bytes(words.length)}</span>`;
    return html`<div class="leaf">${label}<span class="value">${plain(words.slice(0, CAP))}</span>${cut}</div>`;
  }
  if (short.length <= ONE_LINE) {
    return html`<div class="leaf">${label}<span class="value">${plain(short)}</span></div>`;
  }
  const entries = Object.entries(value);
  const size = Array.isArray(value) ? plural(entries.length, 'item') : plural(entries.length, 'field');
  return html`<details ?open=${entries.length <= OPEN_TO}><summary>${label}<span class="quiet">${size}</span></summary>${entries.map(([name, part]) => node(part, name))}</details>`;
}

/** The task that a call delegated: what it does now, with a link. */
function delegation(call, page) {
  const task = page.taskOfCall?.(call);
  if (!task) {
    return nothing;
  }
  const session = page.tree.sessions.get(task.session_id);
  return html`<a class="delegated" href=${page.link(task.session_id)}>
    <span class="state ${task.state}">${page.stateWord(task.state)}</span>
    <span>${plain(task.subagent_type)} “${plain(task.description)}”</span>
    <span class="facts">${session ? `${plural(session.usage.turns, 'turn')} · ${plural(session.usage.tool_calls, 'call')}` : nothing}</span>
  </a>`;
}
