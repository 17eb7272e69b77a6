import { expect, it } from "vitest";
import { partMarkdown } from "../../../server/src/conversation/transcript-markdown.ts";
import type { TurnEvent } from "../../../server/src/protocol/turn-shapes.ts";

function markdown(...events: TurnEvent[]): string {
  return partMarkdown(
    events.map((event, index) => ({ itemId: `${index}`, turnId: "t", at: "2026-01-02T03:04:05Z", event })),
  );
}

const card = (toolCallId: string, args: Readonly<Record<string, unknown>>): TurnEvent => ({
  kind: "toolCall",
  toolCallId,
  name: "read_file",
  state: "running",
  arguments: args,
});

it("tells a call with its answer, and one without at the end of the turn", () => {
  const metadata = { executionTimeMs: 1, safetyLevel: "safe", complete: true } as const;
  const result = { id: "a", success: true, content: "text with\n```\na fence\n```", metadata };
  expect(
    markdown(
      card("a", { path: "x" }),
      card("b", {}),
      { kind: "toolResult", toolCallId: "a", name: "read_file", result },
      { kind: "turnEnded", reason: "cut", message: "The server ended while the turn ran." },
    ),
  ).toBe(`
<details>
<summary>Tool read_file</summary>

Arguments:

\`\`\`json
{
  "path": "x"
}
\`\`\`

Answer:

\`\`\`\`
text with
\`\`\`
a fence
\`\`\`
\`\`\`\`

</details>

<details>
<summary>Tool read_file, which came to no end</summary>

</details>

*The turn was cut off. The server ended while the turn ran.*
`);
});

it("quotes the person, and says nothing of what nobody needs", () => {
  expect(markdown({ kind: "turnStarted", text: "One\n\n two" }, { kind: "turnEnded", reason: "endTurn" })).toBe(
    "\n## Person, 2026-01-02 03:04 UTC\n\n> One\n>\n>  two\n\n### Agent-Q\n",
  );
});
