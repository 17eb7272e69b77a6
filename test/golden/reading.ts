/** What a reader finds in one request: what was said to the model, block by block, oldest first. Knows no state and no history. */
import { blocksOf, textOf, type RequestBody } from "../../examples/demo/model/request-body.ts";

export interface Call {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Which of all calls, counted from 1. */
  readonly number: number;
}

/** `about` is the project as the first message tells it, `news` what happened since, `rules` the person's instructions. */
export type Told =
  | { readonly kind: "about" | "news" | "rules" | "said"; readonly text: string; readonly message: number }
  | {
      readonly kind: "result";
      readonly text: string;
      readonly message: number;
      readonly call: Call;
      readonly isError: boolean;
    };

export type Result = Extract<Told, { kind: "result" }>;

export function readingOf(body: RequestBody): Told[] {
  const calls = new Map<unknown, Call>();
  const told: Told[] = [];
  for (const [message, { role, content }] of body.messages.entries()) {
    for (const block of blocksOf({ role, content })) {
      if (block.type === "tool_use") {
        const input = block["input"] as Call["input"];
        calls.set(block["id"], { name: String(block["name"]), input, number: calls.size + 1 });
      } else if (block.type === "tool_result") {
        const call = calls.get(block["tool_use_id"]);
        if (call === undefined) throw new Error("A result belongs to no call.");
        const isError = block["is_error"] === true;
        told.push({ kind: "result", text: textOf(block["content"]), message, call, isError });
      } else if (role === "user") told.push({ ...kindOf(String(block["text"])), message });
    }
  }
  return told;
}

/** Only the server begins a block with these words: `hostile-texts.test.ts` holds it to that. */
function kindOf(text: string): { kind: "about" | "news" | "rules" | "said"; text: string } {
  if (text.startsWith("[About the project, from the server")) return { kind: "about", text };
  if (text.startsWith("[Since ")) return { kind: "news", text };
  if (text.startsWith("Instructions of the developer, who trusts ") || /^\[\S+ exists;/.test(text)) {
    return { kind: "rules", text };
  }
  return { kind: "said", text };
}

export function resultsOf(told: readonly Told[]): Result[] {
  return told.filter((each) => each.kind === "result");
}

/** The body of a result, without the notes at its end. */
export function bodyOf({ text }: Told): string {
  return text.replace(/\nNotes:\n(?:- .*\n?)+$/, "");
}
