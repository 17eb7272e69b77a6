/** Scripts of one idea each: stop reasons, calls that a model gets wrong, and accidents on the wire. */
import { call, reply, scriptOf, think, type Fault, type Reply, type Script } from "../model/script.ts";

const HELLO = reply("Hello from the scripted model — naïve, but *punctual*. 🙂");
const DOWN: Fault = { kind: "status", status: 500 };
const LOOK = call("apropos_search", { pattern: "allocate" });

function everyTime(name: string, description: string, answer: Reply): Script {
  return { name, description, reply: () => answer };
}

/** Hello, after the accidents of the first requests. */
function helloAfter(name: string, description: string, ...faults: readonly Fault[]): Script {
  return { ...everyTime(name, description, HELLO), faults };
}

/** The model makes one call; the second reply quotes what came back. */
function quoting(name: string, description: string, tool: string, input: Record<string, unknown> | string): Script {
  return scriptOf(name, description, [
    reply(call(tool, input)),
    (turn) => reply(`${tool} answered: ${turn.result(tool).text}`),
  ]);
}

export const hello = everyTime("hello", "one line of text", HELLO);

export const smallScripts: readonly Script[] = [
  hello,
  everyTime("think", "thinking, then text", reply(think("Two and two are four."), "Four.")),
  everyTime("loop-forever", "call a tool, again and again", reply("Once more.", LOOK)),
  everyTime("refusal", "refuse to answer", { ...reply("I will not do that."), stopReason: "refusal" }),
  everyTime("max-tokens", "run out of tokens in the middle", { ...reply("The answer is"), stopReason: "max_tokens" }),
  everyTime("max-tokens-in-call", "run out of tokens inside a tool call", {
    ...reply("I will look.", call("describe_symbol", '{"symbol": "alloc')),
    stopReason: "max_tokens",
  }),
  scriptOf("pause-turn", "pause once, then go on", [
    { ...reply("A moment."), stopReason: "pause_turn" },
    reply("And here is the rest."),
  ]),
  quoting("unknown-tool", "call a tool that does not exist", "read_minds", { person: "you" }),
  quoting("missing-parameter", "leave a required parameter out", "describe_symbol", {}),
  quoting("wrong-type", "give a parameter the wrong type", "apropos_search", { pattern: true }),
  quoting("malformed-tool-json", "send arguments that are no JSON", "describe_symbol", '{"symbol": allocate'),
  helloAfter(
    "overloaded",
    "fail with 429, 529 and 500, then answer",
    { kind: "status", status: 429, retryAfterSeconds: 0 },
    { kind: "status", status: 529 },
    { kind: "status", status: 500 },
  ),
  helloAfter("rate-limited", "ask to wait one second, then answer", {
    kind: "status",
    status: 429,
    retryAfterSeconds: 1,
  }),
  helloAfter("cut-stream", "break the connection in the middle, then answer", { kind: "cut", afterEvents: 4 }),
  helloAfter("cut-stream-clean", "end the stream too early, then answer", {
    kind: "cut",
    afterEvents: 4,
    clean: true,
  }),
  helloAfter("error-event", "report overload inside the stream, then answer", { kind: "errorEvent", afterEvents: 4 }),
  helloAfter("always-down", "answer nothing but 500", ...Array.from({ length: 1000 }, () => DOWN)),
  everyTime("hang", "stop in the middle until the client gives up", {
    ...HELLO,
    fault: { kind: "hang", afterEvents: 5 },
  }),
  everyTime("slow-drip", "send the stream in pieces of seven bytes", { ...HELLO, bytePieces: 7 }),
];
