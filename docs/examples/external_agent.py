"""An agent that hosts its own loop and delegates to Errand. Kill it or Errand at any moment, and start them again:
the agent continues with the conversation in its file, and nothing is delegated twice. Python 3.9, no packages.
    OPENAI_API_KEY=sk-… python3 external_agent.py agent.jsonl "Which settings limit the depth of delegation?" """
import http.client, json, os, pathlib, sys, time, urllib.request

env, file = os.environ.get, pathlib.Path(sys.argv[1])
errand = env("ERRAND_URL", "http://localhost:8080") + "/v1"
model = env("OPENAI_BASE_URL", "https://api.openai.com/v1") + "/chat/completions"

def ask(url, body=None, key=env("ERRAND_KEY", "none")):
    """Sends a request, repeatedly while the server restarts, and returns the JSON of its answer."""
    headers = {"Content-Type": "application/json", "Authorization": "Bearer " + key}
    request = urllib.request.Request(url, body and json.dumps(body).encode(), headers)
    while True:
        try:
            return json.load(urllib.request.urlopen(request, timeout=600))
        except (OSError, http.client.HTTPException) as error:
            if getattr(error, "code", 503) not in (429, 502, 503, 504):
                raise
            time.sleep(1)

def result(call, call_id):
    """Lets Errand execute a tool call: once for its call_id, however often it is sent."""
    answer = ask(session + "/tool-calls", {"call_id": call_id} | call["function"])
    while answer["state"] == "running":
        answer = ask(f"{session}/tool-calls/{call_id}?wait_ms=30000")
    return {"role": "tool", "tool_call_id": call["id"], "content": answer["content"]}

def notices():
    """Waits for the results of background tasks: the messages of the session, numbered from 1."""
    told = sum(message["role"] == "user" for message in messages) - 1
    while True:
        tasks = [task for task in ask(session + "/tasks?limit=200")["items"] if task["background"]]
        expected = [task for task in tasks if not task["delivery"] or task["delivery"]["state"] == "pending"]
        new = ask(f"{session}/messages?after_seq={told}")["items"]
        if new or not expected:
            return [{"role": "user", "content": notice["content"][0]["text"]} for notice in new]
        ask(f"{errand}/tasks/{expected[0]['id']}/output?wait_ms=30000")

def next_messages(last):
    """Asks the model, executes the calls of its answer, or waits for notices. Nothing follows the final answer."""
    if last["role"] != "assistant":
        request = {"model": env("OPENAI_MODEL", "gpt-5-mini"), "messages": messages, "tools": tools}
        return [ask(model, request, env("OPENAI_API_KEY", "none"))["choices"][0]["message"]]
    calls = last.get("tool_calls") or []
    return [result(call, f"turn{len(messages)}.{number}") for number, call in enumerate(calls)] or notices()

def save(*lines):
    with file.open("a") as log:
        log.write("".join(json.dumps(line) + "\n" for line in lines))

if not file.exists():
    save(ask(errand + "/sessions", {"kind": "external"})["id"], {"role": "user", "content": sys.argv[2]})
session_id, *messages = map(json.loads, file.read_text().splitlines())
session = f"{errand}/sessions/{session_id}"
tools = ask(f"{errand}/tools?format=openai&session_id={session_id}")["tools"]
while new := next_messages(messages[-1]):
    save(*new)
    messages += new
print(messages[-1]["content"])
