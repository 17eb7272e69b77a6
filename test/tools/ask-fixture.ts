/** Asks an introspection tool about a fixture project, as a model would, and writes the answer as it would read it. */
import { resolve } from "node:path";
import type { Tool, ToolAnswer } from "../../server/src/tools/tool.ts";
import { createTypeScript, type TypeScriptService } from "../../server/src/typescript/typescript-service.ts";
import { fixtures } from "../unit/typescript/with-typescript.ts";

export interface Fixture {
  readonly service: TypeScriptService;
  readonly ask: (tool: Tool, args: Record<string, unknown>) => Promise<string>;
}

/** `name` is a fixture, or the absolute path of a copy of one. */
export function openFixture(name: string): Fixture {
  const service = createTypeScript({
    workspaceFolders: [resolve(fixtures, name)],
    onState: () => undefined,
    log: () => undefined,
  });
  const ask = async (tool: Tool, args: Record<string, unknown>): Promise<string> => {
    const context = { callId: "1", caller: "model", signal: AbortSignal.timeout(60_000) } as const;
    return render(args, (await tool.run(args, context)) as ToolAnswer);
  };
  return { service, ask };
}

function render(args: Record<string, unknown>, answer: ToolAnswer): string {
  const facts = [
    `complete: ${String(answer.complete ?? true)}`,
    ...(answer.nextCursor === undefined ? [] : [`nextCursor: ${answer.nextCursor}`]),
    ...(answer.notes ?? []).map((note) => `note: ${note}`),
  ];
  const text = [`> ${JSON.stringify(args)}`, "", answer.content, "", "---", ...facts, ""].join("\n");
  return text.replaceAll(/TypeScript \d+\.\d+\.\d+/g, "TypeScript <version>");
}
