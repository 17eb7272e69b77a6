/** What a script sees of a request: the person's words, the tool results since then, and the project's files. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { blocksOf, textOf, type Message, type RequestBody } from "./request-body.ts";

export interface ToolOutcome {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly isError: boolean;
}

/** The conversation is not the one that the script was written for. */
export class ScriptMismatch extends Error {
  override readonly name = "ScriptMismatch";
}

export class Turn {
  readonly body: RequestBody;
  /** The person's latest prompt. A user message with tool results in it is not a prompt. */
  readonly prompt: string;
  /** How many replies the model has given to that prompt. */
  readonly step: number;
  /** The tool results since that prompt, oldest first. */
  readonly results: readonly ToolOutcome[];
  readonly #project: string;

  constructor(body: RequestBody, project: string) {
    const start = body.messages.findLastIndex(isPrompt);
    const since = body.messages.slice(start + 1);
    this.body = body;
    // What the server tells of the project and of the meantime stands in blocks before the person's words.
    this.prompt = textOf(blocksOf(body.messages[start] ?? EMPTY).slice(-1));
    this.step = since.filter((message) => message.role === "assistant").length;
    this.results = outcomesIn(since);
    this.#project = project;
  }

  /** The text of a project file as it is on disk now. */
  file(path: string): string {
    return readFileSync(join(this.#project, path), "utf8");
  }

  /** The latest result of a tool. */
  result(name: string): ToolOutcome {
    const found = this.results.findLast((outcome) => outcome.name === name);
    return found ?? this.fail(`there is no result of ${name} yet`);
  }

  /** The latest result of a tool, which has to be a success that contains each of the texts. */
  expect(name: string, ...texts: readonly string[]): ToolOutcome {
    const outcome = this.result(name);
    const missing = texts.filter((text) => !outcome.text.includes(text));
    if (outcome.isError) this.fail(`${name} failed: ${outcome.text}`);
    if (missing.length > 0) {
      this.fail(
        `the result of ${name} lacks ${missing.map((text) => JSON.stringify(text)).join(", ")}: ${outcome.text}`,
      );
    }
    return outcome;
  }

  fail(message: string): never {
    throw new ScriptMismatch(message);
  }
}

const EMPTY: Message = { role: "user", content: "" };

function isPrompt(message: Message): boolean {
  return message.role === "user" && !blocksOf(message).some((block) => block.type === "tool_result");
}

function outcomesIn(messages: readonly Message[]): ToolOutcome[] {
  const blocks = messages.flatMap(blocksOf);
  const calls = new Map(blocks.filter((block) => block.type === "tool_use").map((block) => [block["id"], block]));
  return blocks
    .filter((block) => block.type === "tool_result")
    .map((block) => {
      const asked = calls.get(block["tool_use_id"]);
      return {
        name: String(asked?.["name"]),
        input: (asked?.["input"] ?? {}) as ToolOutcome["input"],
        text: textOf(block["content"]),
        isError: block["is_error"] === true,
      };
    });
}
