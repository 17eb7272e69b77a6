/** A request as a person reads it: one block under the other, without what differs from run to run. */
import { blocksOf, textOf, type RequestBody } from "../../examples/demo/model/request-body.ts";

/** Where the project lay, and how many forms the server's REPL had run before this conversation. */
export interface Place {
  readonly folder: string;
  readonly formsBefore: number;
}

export function render(body: RequestBody, place: Place): string {
  const parts: string[] = [];
  for (const message of body.messages) {
    for (const block of blocksOf(message)) {
      switch (block.type) {
        case "text":
          parts.push(`== ${message.role === "user" ? "to the model" : "the model"}\n${String(block["text"])}`);
          break;
        case "tool_use":
          parts.push(`== the model calls ${String(block["name"])}\n${JSON.stringify(block["input"], undefined, 1)}`);
          break;
        default:
          parts.push(`== ${block["is_error"] === true ? "error" : "result"}\n${textOf(block["content"])}`);
      }
    }
  }
  return `${normal(parts.join("\n\n"), place)}\n`;
}

export function normal(text: string, { folder, formsBefore }: Place): string {
  return (
    text
      .replaceAll(folder, "/project")
      .replaceAll(/(?<=\$|\bform )\d+\b/g, (number) => String(Number(number) - formsBefore))
      .replace(/\w+day \d{4}-\d\d-\d\d, \w+ [\w ()]+(?=\n)/g, "<date>")
      .replace(/TypeScript \d+\.\d+\.\d+\S*/g, "TypeScript <version>")
      .replace(/Node\S* v?\d+\.\d+\.\d+/g, "Node <version>")
      .replace(/\b\d+(\.\d+)? (ms|s)\b/g, "<time>")
      // A check of types that goes on when the form has ended is told of on a busy machine alone.
      .replace(/^note: The form's types are still being checked; .*\n/gm, "")
      // Only a slow test is told with its time, and any test is slow there.
      .replace(/^( *test\/\S+:\d+:\d+ .*) \(<time>\)$/gm, "$1")
  );
}
