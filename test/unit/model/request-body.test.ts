/** What a history becomes on its way to a server: the API refuses a whole conversation for one word of it. */
import { describe, expect, it } from "vitest";
import { signatureOf } from "../../../examples/demo/model/signature.ts";
import { problemOf } from "../../../examples/demo/model/api-rules.ts";
import type {
  AssistantBlock,
  ModelEntry,
  ModelMessage,
  ModelRequest,
  ThinkingForm,
  UserBlock,
} from "../../../server/src/model/model-port.ts";
import { bodyOf } from "../../support/body-of.ts";

const ask: ModelMessage = { role: "user", content: [{ kind: "text", text: "hello" }] };

const words = (messages: readonly ModelMessage[]): unknown => bodyOf(messages).messages.map(({ content }) => content);

describe("a history that was kept", () => {
  const blanks = ["", " ", "\n\n", "\u00a0", "\u001c\u001f", "\u0085"];
  it.each(blanks)("has no text without a word: %j", (blank) => {
    const said = { kind: "text", text: blank } as const;
    const call = { kind: "toolUse", id: "c", name: "read_file", arguments: {} } as const;
    const result = { kind: "toolResult", toolCallId: "c", content: blank, isError: true } as const;
    const history: ModelMessage[] = [
      { role: "user", content: [said] },
      { role: "assistant", content: [said, call, said] },
      { role: "user", content: [result, said] },
      { role: "assistant", content: [said] },
      ask,
    ];
    expect(problemOf(bodyOf(history))).toBeUndefined();
  });

  it.each(["functions.read_file", "read_file<|channel|>json", "", "x".repeat(300), "mcp::files::read", "日本"])(
    "has no name of a tool that the API does not take: %j",
    (name) => {
      const history: ModelMessage[] = [
        ask,
        { role: "assistant", content: [{ kind: "toolUse", id: "c", name, arguments: {} }] },
        { role: "user", content: [{ kind: "toolResult", toolCallId: "c", content: "?", isError: true }] },
      ];
      expect(problemOf(bodyOf(history))).toBeUndefined();
    },
  );

  it("ends without blanks where the server is to go on with it", () => {
    const last: ModelMessage = { role: "assistant", content: [{ kind: "text", text: "I go on \n" }] };
    expect(words([ask, last])).toMatchObject([[{ text: "hello" }], [{ text: "I go on" }]]);
    expect(words([ask, last, ask])).toMatchObject([[{}], [{ text: "I go on \n" }], [{}]]);
    // The thoughts of what comes then are bound to the text that was sent.
    const more: ModelMessage = { role: "assistant", content: [{ kind: "text", text: "and on." }] };
    expect(words([ask, last, more, ask])).toMatchObject([[{}], [{ text: "I go on" }], [{ text: "and on." }], [{}]]);
  });
});

it("asks for no thought where the reply that goes on began without one, and for thoughts again at the next prompt", () => {
  const call = { kind: "toolUse", id: "c", name: "read_file", arguments: {} } as const;
  const result = { kind: "toolResult", toolCallId: "c", content: "x", isError: false } as const;
  const thought = { type: "thinking", thinking: "Hm.", signature: signatureOf("Hm.", "m") };
  const thoughtBy = (by: string): AssistantBlock => ({ kind: "opaque", value: thought, by });
  const asked = (...content: AssistantBlock[]): ModelMessage[] => [
    ask,
    { role: "assistant", content },
    { role: "user", content: [result] },
  ];
  const over = { maxTokens: 16_000, manner: { thinking: "high" } } as const;
  const thinks = (messages: readonly ModelMessage[]): unknown => {
    const body = bodyOf(messages, over, { entry: { id: "m", name: "m", thinking: ["budget"] } });
    expect(problemOf(body)).toBeUndefined();
    return body.thinking?.type;
  };
  expect(thinks(asked(thoughtBy("m"), call))).toBe("enabled");
  expect(thinks(asked(thoughtBy("another model"), call))).toBeUndefined();
  expect(thinks(asked(call))).toBeUndefined();
  expect(thinks([...asked(call), ask])).toBe("enabled");
});

describe("the choice of a tool", () => {
  const tools = [{ name: "read_file", description: "reads", inputSchema: { type: "object" } }] as const;
  const sent = (over: Partial<ModelRequest>, entry?: ModelEntry): unknown[] => {
    const body = bodyOf([ask], { tools, ...over }, entry === undefined ? {} : { entry });
    expect(problemOf(body)).toBeUndefined();
    return [body.tool_choice, body.thinking?.type];
  };
  const thinking = (...forms: ThinkingForm[]): ModelEntry => ({ id: "m", name: "m", thinking: forms });

  it("is sent in the API's words, without the thinking that the API refuses beside a call that has to be", () => {
    const model = thinking("adaptive", "off");
    expect(sent({}, model)).toEqual([undefined, "adaptive"]);
    expect(sent({ toolChoice: "auto" }, model)).toEqual([undefined, "adaptive"]);
    expect(sent({ toolChoice: "none" }, model)).toEqual([{ type: "none" }, "adaptive"]);
    expect(sent({ toolChoice: "required" }, model)).toEqual([{ type: "any" }, "disabled"]);
    expect(sent({ toolChoice: { name: "read_file" } }, model)).toEqual([
      { type: "tool", name: "read_file" },
      "disabled",
    ]);
    expect(sent({ toolChoice: "required" }, thinking("adaptive"))).toEqual([{ type: "any" }, undefined]);
    expect(sent({ toolChoice: "required", manner: { thinking: "high" } })).toEqual([{ type: "any" }, undefined]);
  });

  it("is left out where no tool goes along", () => {
    expect(sent({ tools: [], toolChoice: "required" })).toEqual([undefined, undefined]);
  });
});

describe("the pictures of a conversation", () => {
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  const sized = (side: number): string => {
    const bytes = Buffer.from(png);
    bytes.writeUInt32BE(side, 16);
    return bytes.toString("base64");
  };
  const picture = (data: string): UserBlock => ({ kind: "image", mediaType: "image/png", data });

  it("go along as long as the API takes them, the newest first", () => {
    const all = Array.from({ length: 25 }, () => picture(sized(3_000)));
    const body = bodyOf(all.map((each): ModelMessage => ({ role: "user", content: [each] })));
    expect(problemOf(body)).toBeUndefined();
    const kinds = body.messages.flatMap(({ content }) =>
      typeof content === "string" ? [] : content.map(({ type }) => type),
    );
    expect(kinds.slice(0, 5)).toEqual(Array(5).fill("text"));
    expect(kinds.slice(5)).toEqual(Array(20).fill("image"));
  });

  it("leave room in the request", () => {
    const large = "A".repeat(4_900_000);
    const body = bodyOf([{ role: "user", content: Array.from({ length: 10 }, () => picture(large)) }]);
    expect(JSON.stringify(body).length).toBeLessThan(25_000_000);
  });
});
