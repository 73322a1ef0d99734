/**
 * Requests to the service. Every failure is a Problem, so that callers show one kind of error.
 */

/** The path below which the service is served; empty when it has no root path. */
const BASE = document.documentElement.dataset.base ?? '';

const MAX_DELAY_MS = 3_000;
const SILENT_MS = 45_000;

/** An answer that is not a success, or none at all (status 0). */
export class Problem extends Error {
  /**
   * @param {number} status
   * @param {string} detail
   * @param {{field: string, message: string}[]} errors
   */
  constructor(status, detail, errors = []) {
    super(detail);
    this.status = status;
    this.errors = errors;
  }

  /** What was wrong with a field of the request; undefined when nothing was. */
  at(field) {
    return this.errors.find((error) => error.field === field)?.message;
  }
}

/** @returns {Promise<any>} the JSON of the answer; null when it has no body */
export async function get(path, signal) {
  return call('GET', path, undefined, {}, signal);
}

/** @returns {Promise<any>} the JSON of the answer; null when it has no body */
export async function post(path, body, headers = {}) {
  return call('POST', path, body, headers);
}

async function call(method, path, body, headers, signal) {
  const response = await reach(path, {
    method,
    signal,
    headers: {Accept: 'application/json', ...(body === undefined ? {} : {'Content-Type': 'application/json'}), ...headers},
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  let text;
  try {
    text = await response.text();
  } catch (fault) {
    throw signal?.aborted ? fault : new Problem(0, 'The answer of the service was cut off.');
  }
  return text === '' ? null : JSON.parse(text);
}

async function reach(path, options) {
  let response;
  try {
    response = await fetch(BASE + path, {credentials: 'same-origin', ...options});
  } catch (fault) {
    if (options.signal?.aborted) {
      throw fault;
    }
    throw new Problem(0, 'The service does not answer.');
  }
  if (!response.ok) {
    throw await problem(response);
  }
  return response;
}

async function problem(response) {
  let body = {};
  try {
    body = await response.json();
  } catch {
    // The body of a proxy in between is no problem document.
  }
  const found = new Problem(response.status, body.detail ?? `The service answered ${response.status}.`, body.errors ?? []);
  if (response.status === 401) {
    document.dispatchEvent(new CustomEvent('errand-unauthorized'));
  }
  return found;
}

/**
 * A stream of events that reconnects until it is closed. It is not an EventSource, which cannot see a
 * status and drops events of unknown types.
 */
export class EventStream {
  #path;
  #position;
  #listener;
  #abort = new AbortController();
  #tries = 0;

  /**
   * @param {string} path without the position
   * @param {number} position of the last event that is known
   * @param {{event: (number: number, event: object) => void, passing: (event: object) => void, state: (state: StreamState) => void}} listener
   *     passing: events without a number, which no later stream repeats
   *
   * @typedef {{live: boolean, retryAt?: number, problem?: Problem}} StreamState
   */
  constructor(path, position, listener) {
    this.#path = path;
    this.#position = position;
    this.#listener = listener;
    this.#run();
  }

  close() {
    this.#abort.abort();
  }

  async #run() {
    while (!this.#abort.signal.aborted) {
      let fault;
      try {
        await this.#read();
      } catch (found) {
        fault = found;
      }
      if (this.#abort.signal.aborted) {
        return;
      }
      if (fault instanceof Problem && [401, 403, 404].includes(fault.status)) {
        this.#listener.state({live: false, problem: fault});
        return;
      }
      await this.#pause();
    }
  }

  async #pause() {
    const delay = Math.min(MAX_DELAY_MS, 500 * 2 ** this.#tries++) * (0.75 + Math.random() / 2);
    this.#listener.state({live: false, retryAt: Date.now() + delay});
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, delay);
      this.#abort.signal.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      }, {once: true});
    });
  }

  async #read() {
    const connection = new AbortController();
    this.#abort.signal.addEventListener('abort', () => connection.abort(), {once: true, signal: connection.signal});
    let timer;
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(() => connection.abort(), SILENT_MS);
    };
    heard();
    try {
      const separator = this.#path.includes('?') ? '&' : '?';
      const response = await reach(`${this.#path}${separator}after=${this.#position}`, {
        headers: {Accept: 'text/event-stream'},
        signal: connection.signal,
      });
      this.#tries = 0;
      this.#listener.state({live: true});
      const parser = new SseParser((id, data) => {
        if (id === null) {
          this.#listener.passing(JSON.parse(data));
        } else {
          this.#position = Number(id);
          this.#listener.event(this.#position, JSON.parse(data));
        }
      });
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        heard();
        parser.add(part.value);
      }
    } finally {
      clearTimeout(timer);
      connection.abort();
    }
  }
}

/** Splits a stream of server-sent events. An event that is cut off by the end of the stream is dropped. */
class SseParser {
  #deliver;
  #rest = '';
  #id = null;
  #data = [];

  constructor(deliver) {
    this.#deliver = deliver;
  }

  add(text) {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop();
    lines.forEach((line) => this.#line(line.endsWith('\r') ? line.slice(0, -1) : line));
  }

  #line(line) {
    if (line === '') {
      if (this.#data.length > 0) {
        this.#deliver(this.#id, this.#data.join('\n'));
      }
      this.#data = [];
      this.#id = null;
    } else if (line.startsWith('id:')) {
      this.#id = line.slice(3).trim();
    } else if (line.startsWith('data:')) {
      this.#data.push(line.slice(5).replace(/^ /, ''));
    }
  }
}
