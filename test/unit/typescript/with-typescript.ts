/** A real compiler over a project in a temporary folder, asked through the tools. */
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { TypeScriptStatus } from "../../../server/src/protocol/status.ts";
import { createAproposSearch } from "../../../server/src/tools/introspection/apropos-search.ts";
import { createDescribeSymbol } from "../../../server/src/tools/introspection/describe-symbol.ts";
import { createWhoCalls } from "../../../server/src/tools/introspection/who-calls.ts";
import type { Tool, ToolAnswer } from "../../../server/src/tools/tool.ts";
import { createTypeScript, type TypeScriptService } from "../../../server/src/typescript/typescript-service.ts";

export const fixtures: string = fileURLToPath(new URL("../../fixtures", import.meta.url));

export interface TestProject {
  readonly root: string;
  readonly service: TypeScriptService;
  readonly states: TypeScriptStatus[];
  whoCalls(args: Record<string, unknown>): Promise<ToolAnswer>;
  describe(args: Record<string, unknown>): Promise<ToolAnswer>;
  apropos(args: Record<string, unknown>): Promise<ToolAnswer>;
  write(path: string, text: string | Buffer): void;
  uri(path: string): string;
  dispose(): Promise<void>;
}

/** Without the types of browsers, which a compiler reads longer than all that most tests ask about, where the text names no `lib`. */
function lean(tsconfig: string | Buffer): string | Buffer {
  if (typeof tsconfig !== "string" || tsconfig.includes('"lib"')) return tsconfig;
  const options = '"lib": ["esnext"], "skipLibCheck": true';
  if (tsconfig.trim() === "{}") return `{ "compilerOptions": { ${options} } }`;
  return tsconfig.replace(/"compilerOptions": \{(?=\s*")/, `"compilerOptions": { ${options},`);
}

/** `source` is the name of a fixture, or the files themselves. */
export function openProject(source: string | Record<string, string | Buffer>): TestProject {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "agentq-typescript-")));
  const write = (path: string, text: string | Buffer): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  if (typeof source === "string") cpSync(join(fixtures, source), root, { recursive: true });
  else for (const [path, text] of Object.entries(source)) write(path, path === "tsconfig.json" ? lean(text) : text);
  const states: TypeScriptStatus[] = [];
  const service = createTypeScript({
    workspaceFolders: [root],
    onState: (status) => states.push(status),
    log: () => undefined,
  });
  const ask = (tool: Tool) => async (args: Record<string, unknown>) => {
    const context = { callId: "1", caller: "model", signal: AbortSignal.timeout(60_000) } as const;
    return (await tool.run(args, context)) as ToolAnswer;
  };
  return {
    root,
    service,
    states,
    whoCalls: ask(createWhoCalls(service)),
    describe: ask(createDescribeSymbol(service)),
    apropos: ask(createAproposSearch(service)),
    write,
    uri: (path) => pathToFileURL(join(root, path)).href,
    dispose: async () => {
      await service.dispose();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
