/**
 * The tree of sessions that a workspace shows: a snapshot of the service, and the events after it. An event
 * that is older than what is known changes nothing, and nothing returns from a state that ended.
 */

const ENDED = new Set(['completed', 'failed', 'cancelled', 'timed_out']);

/** How many siblings of one agent are shown before the others fold. */
const FOLDED_FROM = 20;
const SHOWN_OF_FOLDED = 8;

/** How many turns of an opened session are shown, the last ones. */
const SHOWN_TURNS = 50;

export class Tree {
  /** The position of the newest event that is contained. */
  cursor = 0;
  rootId;
  truncated = false;
  /** @type {Map<string, object>} sessions as GET /v1/sessions shows them, by id */
  sessions = new Map();
  /** @type {Map<string, object>} the tasks of the tree, by id */
  tasks = new Map();
  /** @type {Map<string, string[]>} the ids of the children of each session, which sort by their age */
  children = new Map();
  /** @type {Map<string, string[]>} the ids of the tasks of each child, the oldest first */
  #tasksOf = new Map();

  /** Takes over an answer of GET /v1/sessions/{id}/tree. */
  reset(snapshot) {
    this.rootId = snapshot.root_id;
    this.truncated = snapshot.truncated;
    if (snapshot.cursor < this.cursor) {
      return;
    }
    this.cursor = snapshot.cursor;
    this.sessions = new Map();
    this.children = new Map();
    this.tasks = new Map();
    this.#tasksOf = new Map();
    snapshot.sessions.forEach((session) => this.#addSession(session));
    snapshot.tasks.forEach((task) => this.#addTask(task));
  }

  /** The session at the top: the root, or for a caller that may see only a part, the session that it may see. */
  get top() {
    return this.sessions.get(this.rootId) ?? this.sessions.values().next().value;
  }

  /** The newest task that a session works or worked on; undefined for a root. */
  taskOf(sessionId) {
    return this.tasks.get(this.#tasksOf.get(sessionId)?.at(-1));
  }

  /** @returns {string} the word that is shown for a session: that of its newest task, or its own */
  stateOf(session) {
    const task = this.taskOf(session.id);
    if (task && ENDED.has(task.state)) {
      return task.state;
    }
    if (session.state !== 'idle') {
      return session.state;
    }
    if (this.liveTasksBelow(session.id) > 0) {
      return 'waiting';
    }
    return session.last_error ? 'failed' : 'idle';
  }

  /** What a session and everything below it used. */
  totals(sessionId) {
    const own = this.sessions.get(sessionId);
    const sum = {tokens: tokens(own.usage), cost: own.usage.cost};
    for (const child of this.children.get(sessionId) ?? []) {
      const below = this.totals(child);
      sum.tokens += below.tokens;
      sum.cost = add(sum.cost, below.cost);
    }
    return sum;
  }

  /** The number of tasks below a session that have not ended. */
  liveTasksBelow(sessionId) {
    return (this.children.get(sessionId) ?? []).reduce((sum, child) => {
      const task = this.taskOf(child);
      return sum + (task && !ENDED.has(task.state) ? 1 : 0) + this.liveTasksBelow(child);
    }, 0);
  }

  /** @param {object} event an event of the stream */
  apply(number, event) {
    if (number <= this.cursor) {
      return;
    }
    this.cursor = number;
    const session = this.sessions.get(event.source.split('/').at(-1));
    const data = event.data;
    if (event.type.startsWith('subagent.') || event.type.startsWith('background_task.')) {
      this.#taskChanged(event, data);
    } else if (session) {
      REDUCERS[event.type]?.(session, data, event.time, this);
    }
  }

  #taskChanged(event, data) {
    const id = data.task_id;
    if (!this.sessions.has(data.session_id)) {
      this.#addSession(newSession(data, this.sessions.get(data.parent_session_id), event.time));
    }
    if (!this.tasks.has(id)) {
      this.#addTask(newTask(data, event.time));
    }
    const task = this.tasks.get(id);
    if (ENDED.has(task.state)) {
      return;
    }
    task.state = data.state;
    if (event.type === 'subagent.started') {
      task.started_at = event.time;
      task.attempts = Math.max(1, task.attempts);
    }
    if (ENDED.has(data.state)) {
      Object.assign(task, {
        ended_at: event.time,
        error: data.error ?? null,
        stop_reason: data.stop_reason ?? null,
        partial: data.partial ?? false,
        waits_for: null,
      });
    }
  }

  #addSession(session) {
    this.sessions.set(session.id, session);
    if (session.parent_id) {
      push(this.children, session.parent_id, session.id);
      const siblings = this.children.get(session.parent_id);
      if (siblings.at(-2) > session.id) {
        siblings.sort();
      }
    }
  }

  #addTask(task) {
    this.tasks.set(task.id, task);
    push(this.#tasksOf, task.session_id, task.id);
  }

  /**
   * The rows in the order in which they are shown: each session below its parent.
   *
   * @param {Set<string>} closed ids of sessions whose children are not shown
   * @param {Set<string>} unfolded keys of folds that are shown in full
   * @param {(id: string) => object[]} turnsOf the turns that are shown below a session
   * @param {((session: object) => boolean) | null} filter which sessions are shown; their ancestors are, too
   */
  rows(closed, unfolded, turnsOf, filter) {
    const rows = [];
    const kept = filter ? this.#matching(filter) : null;
    const visit = (id, depth, lines) => {
      const session = this.sessions.get(id);
      const below = (this.children.get(id) ?? []).filter((child) => !kept || kept.has(child));
      rows.push({key: id, session, depth, lines, parent: below.length > 0, open: !closed.has(id)});
      const shown = closed.has(id) ? [] : this.#folded(id, below, unfolded);
      const turns = turnsOf(id).slice(-SHOWN_TURNS);
      turns.forEach((turn, index) => {
        const more = shown.length > 0 || index < turns.length - 1;
        rows.push({key: `${id} ${turn.number}`, turn, of: session, depth: depth + 1, lines: [...lines, more]});
      });
      shown.forEach((entry, index) => {
        const more = index < shown.length - 1;
        if (entry.fold) {
          rows.push({...entry, depth: depth + 1, lines: [...lines, more]});
        } else {
          visit(entry, depth + 1, [...lines, more]);
        }
      });
    };
    if (this.top) {
      visit(this.top.id, 0, []);
    }
    return rows;
  }

  #matching(filter) {
    const kept = new Set();
    for (const session of this.sessions.values()) {
      if (filter(session)) {
        for (let at = session; at && !kept.has(at.id); at = this.sessions.get(at.parent_id)) {
          kept.add(at.id);
        }
      }
    }
    return kept;
  }

  /** The children of a session; of an agent with many of them, a line that counts them, and failed and running ones. */
  #folded(parent, children, unfolded) {
    const byAgent = new Map();
    children.forEach((child) => push(byAgent, this.sessions.get(child).agent, child));
    const isLarge = (agent) => byAgent.get(agent).length > FOLDED_FROM;
    const groups = [...byAgent].filter(([agent]) => isLarge(agent)).flatMap(([agent, ids]) => {
      const key = `${parent}/${agent}`;
      const open = unfolded.has(key);
      const fold = {fold: true, key, agent, size: ids.length, counts: this.#counts(ids), open};
      return [fold, ...(open ? ids : ids.filter((id) => this.#isFirst(id)).slice(0, SHOWN_OF_FOLDED))];
    });
    return [...children.filter((child) => !isLarge(this.sessions.get(child).agent)), ...groups];
  }

  #counts(ids) {
    const counts = new Map();
    ids.forEach((id) => {
      const state = this.stateOf(this.sessions.get(id));
      counts.set(state, (counts.get(state) ?? 0) + 1);
    });
    return counts;
  }

  /** Failed and running children are shown before the others. */
  #isFirst(id) {
    return ['failed', 'timed_out', 'running'].includes(this.stateOf(this.sessions.get(id)));
  }
}

const REDUCERS = {
  'session.state': (session, data, time) => {
    session.state = data.state;
    session.pause = data.pause ?? null;
    session.waits_for = data.state === 'waiting' ? {reason: data.waits_for, since: time, until: data.not_before ?? null} : null;
    session.updated_at = time;
  },
  'session.failed': (session, data) => {
    session.last_error = data.error;
  },
  'session.notices_held': (session, data) => {
    session.waiting_notices = data.waiting_notices;
  },
  'session.taken_over': (session, data, time, tree) => {
    const task = tree.taskOf(session.id);
    if (task) {
      task.takeovers++;
    }
  },
  'session.message': (session, data) => {
    if (data.role === 'assistant' && data.usage) {
      const usage = session.usage;
      usage.turns++;
      usage.tool_calls += data.content?.filter((part) => part.type === 'tool_call').length ?? 0;
      usage.input_tokens += data.usage.input_tokens;
      usage.output_tokens += data.usage.output_tokens;
      usage.cost = add(usage.cost, data.usage.cost ?? null);
      session.last_error = null;
    }
    if (session.title === null && !session.opening && data.seq === 1 && data.kind !== 'notice' && data.content?.[0]?.text) {
      session.opening = data.content[0].text.slice(0, 200);
    }
  },
  'tool.started': (session) => {
    session.usage.tool_calls += session.kind === 'external' ? 1 : 0;
  },
  'task.retrying': (session, data, time, tree) => {
    const task = tree.tasks.get(data.task_id);
    if (task) {
      task.attempts = data.attempt + 1;
      task.waits_for = {reason: 'retry', since: time, until: data.not_before ?? null};
    }
  },
  'delivery.delivered': (session, data, time, tree) => {
    const task = tree.tasks.get(data.task_id);
    if (task && data.target === 'session') {
      Object.assign(task, {delivered_at: time, delivery_state: 'delivered'});
    }
  },
};

function newSession(data, parent, time) {
  return {
    id: data.session_id,
    parent_id: data.parent_session_id,
    root_id: parent?.root_id,
    depth: (parent?.depth ?? 0) + 1,
    agent: data.subagent_type,
    kind: 'hosted',
    title: data.description,
    opening: null,
    state: 'queued',
    model: data.model ?? '',
    usage: {input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, turns: 0, tool_calls: 0, cost: null},
    waiting_notices: 0,
    last_error: null,
    waits_for: null,
    pause: null,
    created_at: data.created_at ?? time,
    updated_at: time,
  };
}

function newTask(data, time) {
  return {
    id: data.task_id,
    session_id: data.session_id,
    parent_session_id: data.parent_session_id,
    subagent_type: data.subagent_type,
    description: data.description,
    label: data.label ?? null,
    background: data.background,
    state: data.state,
    waits_for: null,
    attempts: 0,
    takeovers: 0,
    error: null,
    stop_reason: null,
    partial: false,
    delivery_state: null,
    delivered_at: null,
    consumed_at: null,
    created_at: data.created_at ?? time,
    started_at: null,
    ended_at: null,
  };
}

export function tokens(usage) {
  return usage.input_tokens + usage.output_tokens;
}

/** Whether a task with this state ended. */
export function hasEnded(state) {
  return ENDED.has(state);
}

/** Null is an unknown cost; it adds nothing to a known one. */
function add(one, other) {
  return one === null || one === undefined ? (other ?? null) : one + (other ?? 0);
}

function push(map, key, value) {
  const list = map.get(key);
  if (list) {
    list.push(value);
  } else {
    map.set(key, [value]);
  }
}
