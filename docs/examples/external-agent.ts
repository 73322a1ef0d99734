// An agent that hosts its own loop and delegates to Errand. Kill it or Errand at any moment, and start them again:
// the agent continues with the conversation in its file, and nothing is delegated twice. Node 22.18, no packages.
//     OPENAI_API_KEY=sk-… node external-agent.ts agent.jsonl "Which settings limit the depth of delegation?"
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

const { ERRAND_URL = "http://localhost:8080", ERRAND_KEY = "none", OPENAI_API_KEY = "none" } = process.env;
const { OPENAI_BASE_URL = "https://api.openai.com/v1", OPENAI_MODEL = "gpt-5-mini" } = process.env;
const [file, question] = process.argv.slice(2);
type Message = { role: string; content: string; tool_call_id?: string; tool_calls?: any[] };

/** Sends a request, repeatedly while the server restarts, and returns the JSON of its answer. */
async function ask(url: string, body?: object, key = ERRAND_KEY): Promise<any> {
  const headers = { "Content-Type": "application/json", Authorization: "Bearer " + key };
  const request = { method: body ? "POST" : "GET", headers, body: JSON.stringify(body) };
  for (;;) {
    const answer = await fetch(url, request).catch(() => undefined);
    if (answer?.ok) return answer.json();
    if (answer && ![429, 502, 503, 504].includes(answer.status)) throw new Error(`${url}: ${await answer.text()}`);
    await setTimeout(1000);
  }
}

/** Lets Errand execute a tool call: once for its call_id, however often it is sent. */
async function result(call: any, callId: string): Promise<Message> {
  let answer = await ask(`${session}/tool-calls`, { call_id: callId, ...call.function });
  while (answer.state === "running") answer = await ask(`${session}/tool-calls/${callId}?wait_ms=30000`);
  return { role: "tool", tool_call_id: call.id, content: answer.content };
}

/** Waits for the results of background tasks: the messages of the session, numbered from 1. */
async function notices(): Promise<Message[]> {
  const told = messages.filter((message: Message) => message.role === "user").length - 1;
  for (;;) {
    const tasks = (await ask(`${session}/tasks?limit=200`)).items.filter((task: any) => task.background);
    const expected = tasks.find((task: any) => (task.delivery?.state ?? "pending") === "pending");
    const { items } = await ask(`${session}/messages?after_seq=${told}`);
    if (items.length || !expected) return items.map(({ content }: any) => ({ role: "user", content: content[0].text }));
    await ask(`${ERRAND_URL}/v1/tasks/${expected.id}/output?wait_ms=30000`);
  }
}

/** Asks the model, executes the calls of its answer, or waits for notices. Nothing follows the final answer. */
async function nextMessages(last: Message): Promise<Message[]> {
  if (last.role !== "assistant") {
    const request = { model: OPENAI_MODEL, messages, tools };
    return [(await ask(`${OPENAI_BASE_URL}/chat/completions`, request, OPENAI_API_KEY)).choices[0].message];
  }
  const results = last.tool_calls?.map((call, number) => result(call, `turn${messages.length}.${number}`));
  return results?.length ? Promise.all(results) : notices();
}

const save = (...lines: unknown[]) => appendFileSync(file, lines.map((line) => JSON.stringify(line) + "\n").join(""));
if (!existsSync(file))
  save((await ask(`${ERRAND_URL}/v1/sessions`, { kind: "external" })).id, { role: "user", content: question });
const [id, ...messages] = JSON.parse("[" + readFileSync(file, "utf8").trim().replaceAll("\n", ",") + "]");
const session = `${ERRAND_URL}/v1/sessions/${id}`;
const { tools } = await ask(`${ERRAND_URL}/v1/tools?format=openai&session_id=${id}`);
for (let news: Message[]; (news = await nextMessages(messages.at(-1))).length; messages.push(...news)) save(...news);
console.log(messages.at(-1).content);
