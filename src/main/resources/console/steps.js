/** The bars of a session on the time axis, made from its events. */

const WAITS = {
  answer: 'below',
  below: 'below',
  retry: 'backoff',
  model: 'backoff',
};

/** Errors of model calls whose session was taken from them. */
const CUT_OFF = ['taken_over', 'released', 'stopped'];

/**
 * @typedef {object} Phase
 * @property {'queued' | 'running' | 'below' | 'backoff' | 'rest' | 'model' | 'tool' | 'lost'} kind lost: a model call whose worker was lost
 * @property {number} from ms since the epoch
 * @property {number | null} to null while it lasts
 * @property {string} [name] of the model or the tool
 * @property {string} [title] of a tool call, in one line
 * @property {string} [output] the end of what a tool call has written so far
 * @property {boolean} [failed]
 * @property {number} [ended] when a tool call had its result; its bar ends earlier if its session waited for the result
 */

/**
 * A model call, repeated ones included, with the tool calls that follow it.
 *
 * @typedef {object} Turn
 * @property {number} number from 1
 * @property {number} seq of the answer
 * @property {Phase[]} phases
 * @property {object | null} usage null until the answer is there
 * @property {boolean} failed whether the last model call failed
 */

/** The events of one session, in their order, without repetitions. */
export class Steps {
  /** @type {Phase[]} in the order of their start */
  phases = [];
  /** @type {{kind: 'notice' | 'takeover', at: number, taskId?: string}[]} */
  marks = [];
  /** @type {Map<string, Phase>} the tool calls by their id */
  calls = new Map();
  /** @type {Turn[]} */
  turns = [];
  last = 0;
  #state = null;
  #open = new Map();

  add(number, event) {
    if (number <= this.last) {
      return;
    }
    this.last = number;
    const at = Date.parse(event.time);
    const data = event.data;
    switch (event.type) {
      case 'session.state':
        this.#enter(stateKind(data), at);
        break;
      case 'session.taken_over':
        this.#endAll(at);
        this.marks.push({kind: 'takeover', at});
        break;
      case 'session.message':
        if (data.kind === 'notice' && data.task_id) {
          this.marks.push({kind: 'notice', at, taskId: data.task_id});
        }
        break;
      case 'model.started':
        this.#beginTurn(data.seq);
        this.#begin('model', {kind: 'model', from: at, to: null, name: data.model});
        break;
      case 'model.ended':
        this.#endModel(at, data.error);
        this.#endTurn(data);
        break;
      case 'tool.started':
        this.#begin(data.tool_call_id, {kind: 'tool', from: at, to: null, name: data.name, title: data.title});
        this.calls.set(data.tool_call_id, this.phases.at(-1));
        break;
      case 'tool.progress':
        this.#output(data);
        break;
      case 'tool.ended':
        this.#endCall(data.tool_call_id, at, data.is_error === true);
        break;
      default:
    }
  }

  #enter(kind, at) {
    if (this.#state?.kind === kind) {
      return;
    }
    if (this.#state) {
      this.#state.to = at;
    }
    if (kind !== 'running') {
      this.#endAll(at);
    }
    this.#state = kind === null ? null : {kind, from: at, to: null};
    if (this.#state) {
      this.phases.push(this.#state);
    }
  }

  /** A call after one that failed is the same turn. */
  #beginTurn(seq) {
    const turn = this.turns.at(-1);
    if (turn?.failed) {
      turn.failed = false;
    } else {
      this.turns.push({number: this.turns.length + 1, seq, phases: [], usage: null, failed: false});
    }
  }

  #endTurn(data) {
    const turn = this.turns.at(-1);
    if (turn) {
      Object.assign(turn, {seq: data.seq, usage: data.usage ?? null, failed: data.error !== undefined});
    }
  }

  #begin(key, phase) {
    this.#end(key, phase.from, false);
    this.#open.set(key, phase);
    this.phases.push(phase);
    this.turns.at(-1)?.phases.push(phase);
  }

  #end(key, at, failed) {
    const phase = this.#open.get(key);
    if (phase) {
      phase.to = at;
      phase.failed = failed;
      this.#open.delete(key);
    }
  }

  /** A call that was cut off is no failure of the model. */
  #endModel(at, error) {
    const phase = this.#open.get('model');
    if (phase && error === 'taken_over') {
      phase.kind = 'lost';
    }
    this.#end('model', at, error !== undefined && !CUT_OFF.includes(error));
  }

  #endCall(id, at, failed) {
    this.#end(id, at, failed);
    if (this.calls.has(id)) {
      Object.assign(this.calls.get(id), {ended: at, failed});
    }
  }

  #output(data) {
    const call = this.calls.get(data.tool_call_id);
    if (call) {
      call.output = data.output;
    }
  }

  #endAll(at) {
    [...this.#open.keys()].forEach((key) => this.#end(key, at, false));
  }
}

/** Null for a session that is closed: nothing is drawn after its end. */
function stateKind(data) {
  switch (data.state) {
    case 'running':
      return 'running';
    case 'queued':
      return 'queued';
    case 'waiting':
      return WAITS[data.waits_for] ?? 'queued';
    case 'idle':
      return 'rest';
    default:
      return null;
  }
}
