/** What stands outside the workspace, or may hold secrets, reaches nobody through the compiler, which reads it all the same. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAproposSearch } from "../../server/src/tools/introspection/apropos-search.ts";
import { createDescribeSymbol } from "../../server/src/tools/introspection/describe-symbol.ts";
import { createDocumentOutline } from "../../server/src/tools/introspection/document-outline.ts";
import { createGetDiagnostics } from "../../server/src/tools/introspection/get-diagnostics.ts";
import { createListPackageSymbols } from "../../server/src/tools/introspection/list-package-symbols.ts";
import { createMacroexpandForm } from "../../server/src/tools/introspection/macroexpand-form.ts";
import { createWhoReferences } from "../../server/src/tools/introspection/who-references.ts";
import type { Tool, ToolAnswer } from "../../server/src/tools/tool.ts";
import { checkForm } from "../../server/src/typescript/check-form.ts";
import { createTypeScript, type TypeScriptService } from "../../server/src/typescript/typescript-service.ts";

let home: string;
let root: string;
let service: TypeScriptService;

beforeAll(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "agentq-outside-")));
  root = join(home, "project");
  const files: Record<string, string> = {
    "other/secrets.ts": 'export const KEY = "CANARY_ts" as const;\n',
    "other/c.mjs": '/** @typedef {"CANARY_mjs"} T */\nexport const c = 1;\n',
    "other/foo.js": "export const D = 1;\n",
    "other/foo.d.ts": 'export const D: "CANARY_dts";\n',
    "other/config.json": '{ "CANARY_json": "x" }\n',
    "other/page.tsx": 'export const PAGE = "CANARY_tsx" as const;\n',
    "project/tsconfig.json":
      '{ "compilerOptions": { "strict": true, "module": "nodenext", "allowJs": true, "checkJs": true, "resolveJsonModule": true, "types": [] } }\n',
    "project/package.json": '{ "name": "p", "type": "module" }\n',
    "project/src/a.ts": "export const a = 1;\nexport type Box<T> = { value: T };\n",
    "project/src/b.ts": 'import { lib } from "@ws/lib";\nimport { dep } from "dep";\nexport const both = [lib, dep];\n',
    "project/src/s.js": "export const s = 1;\n",
    "project/.env.ts": 'export const ENV = "CANARY_env" as const;\n',
    "project/.env.json": '{ "CANARY_envjson": 1 }\n',
    "project/packages/lib/package.json": '{ "name": "@ws/lib", "types": "index.ts" }\n',
    "project/packages/lib/index.ts": "/** Of the workspace. */\nexport const lib = 1;\n",
    "project/node_modules/.pnpm/dep@1/node_modules/dep/package.json": '{ "name": "dep", "types": "index.d.ts" }\n',
    "project/node_modules/.pnpm/dep@1/node_modules/dep/index.d.ts": "/** Installed. */\nexport const dep: 2;\n",
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  mkdirSync(join(root, "node_modules/@ws"));
  symlinkSync("../../packages/lib", join(root, "node_modules/@ws/lib"));
  symlinkSync(".pnpm/dep@1/node_modules/dep", join(root, "node_modules/dep"));
  symlinkSync("../other", join(root, "link"));
  symlinkSync("../../other/page.tsx", join(root, "src/page.tsx"));
  service = createTypeScript({
    workspaceFolders: [root],
    onState: () => undefined,
    log: () => undefined,
  });
});

afterAll(async () => {
  await service.dispose();
  rmSync(home, { recursive: true, force: true });
});

async function ask(tool: Tool, args: Record<string, unknown>): Promise<string> {
  const context = { callId: "1", caller: "model", signal: AbortSignal.timeout(60_000) } as const;
  const answer = await Promise.resolve(tool.run(args, context)).then(
    (given) => given as ToolAnswer,
    (error: unknown) => ({ content: `REFUSED: ${(error as Error).message}`, notes: [] }),
  );
  return [answer.content, ...(answer.notes ?? [])].join("\n");
}

describe("what stands outside the workspace", () => {
  it.each([
    'typeof import("OTHER/secrets.ts").KEY',
    'typeof import("OTHER/secrets.js").KEY',
    'import("OTHER/c.mjs").T',
    'typeof import("OTHER/foo.js").D',
    'typeof import("OTHER/config.json")',
    'keyof typeof import("OTHER/config.json").default',
    'keyof typeof import("OTHER/config.json", { with: { type: "json" } }).default',
    'typeof import("../../other/secrets.ts").KEY',
    'typeof import("../.env.ts").ENV',
    'typeof import("../.env.js").ENV',
    'keyof typeof import("../.env.json")',
    'typeof import("../link/secrets.ts").KEY',
    'typeof import("./page.tsx").PAGE',
    'typeof imp\\u006frt("../../other/secrets.ts").KEY',
  ])("macroexpand_form refuses the form that names it: %s", async (form) => {
    const asked = form.replace("OTHER", join(home, "other"));
    for (const scope of [{}, { path: "src/a.ts" }, { path: "src/s.js" }]) {
      const text = await ask(createMacroexpandForm(service), { form: asked, as: "type", full: true, ...scope });
      expect(text).not.toContain("CANARY");
    }
  });

  it("macroexpand_form says why it refuses", async () => {
    const text = await ask(createMacroexpandForm(service), {
      form: `typeof import(${JSON.stringify(join(home, "other/secrets.ts"))}).KEY`,
    });
    expect(text).toBe(
      "REFUSED: The form names ../other/secrets.ts, which stands outside the workspace folders or may hold secrets: the compiler is not asked about it.",
    );
    const after = await ask(createMacroexpandForm(service), { form: "Box<string>" });
    expect(after).toContain("value: string");
  });

  it.each([
    'const x: typeof import("OTHER/secrets.ts").KEY = "wrong"; x',
    'import type { KEY } from "../../other/secrets.ts"; const x: typeof KEY = "wrong"; x',
    'import c from "OTHER/config.json"; c.wrong',
    'import c from "../../other/config.json" with { type: "json" }; c.wrong',
    'const x: typeof import("../link/secrets.ts").KEY = "wrong"; x',
    'const x: typeof import("../.env.ts").ENV = "wrong"; x',
    '/// <reference path="OTHER/secrets.ts" />\nimport("OTHER/secrets.ts").then(({ KEY }) => { const n: never = KEY; return n; })',
  ])("the notes of a form that names an outside file reveal nothing of the file: %s", async (code) => {
    const text = code.replaceAll("OTHER", join(home, "other"));
    const form = {
      text,
      folder: join(root, "src"),
      start: 0,
      end: text.length,
      earlier: new Map(),
      running: new Map(),
    };
    const name = "__repl_1__.ts";
    const signal = AbortSignal.timeout(60_000);
    for (const where of [{ name }, { name, module: join(root, "src/a.ts") }]) {
      const check = await checkForm(service, { ...form, ...where }, signal);
      expect(check.kind).toBe("unchecked");
      expect(JSON.stringify(check)).not.toContain("CANARY");
    }
  });

  it.each(["link/secrets.ts", "link/config.json", "link/foo.d.ts", "src/page.tsx", ".env.ts", ".env.json"])(
    "no question about %s is answered with its text",
    async (file) => {
      for (const make of [createListPackageSymbols, createDocumentOutline, createGetDiagnostics]) {
        const parameter = make === createListPackageSymbols ? "package" : "file";
        expect(await ask(make(service), { [parameter]: file })).not.toMatch(/CANARY|KEY|PAGE|ENV/);
      }
      for (const name of ["KEY", "PAGE", "ENV", "D"]) {
        const text = await ask(createDescribeSymbol(service), { symbol: `${file}#${name}` });
        expect(text.replaceAll(`"${name}"`, "")).not.toMatch(/CANARY|\b(?:KEY|PAGE|ENV)\b(?!")/);
        expect(await ask(createWhoReferences(service), { symbol: `${file}#${name}` })).not.toContain("CANARY");
      }
    },
  );

  it("a search finds no name of an outside file, and the answer says what is not shown", async () => {
    const text = await ask(createAproposSearch(service), { pattern: "/^(KEY|PAGE|ENV)$/" });
    expect(text).not.toContain("CANARY");
    expect(text).not.toMatch(/link\/secrets\.ts#|page\.tsx#|\.env\.ts#/);
    expect(text).toContain("Not shown: ");
    expect(text).toContain("src/page.tsx");
  });

  it("packages of the workspace behind links and installed packages in a store are shown", async () => {
    expect(await ask(createDescribeSymbol(service), { symbol: "lib" })).toContain("Of the workspace.");
    expect(await ask(createDescribeSymbol(service), { symbol: "dep#dep" })).toContain("Installed.");
    const form = 'typeof import("@ws/lib").lib | typeof import("dep").dep';
    expect(await ask(createMacroexpandForm(service), { form, path: "src/b.ts" })).toContain("1 | 2");
  });

  it("a file is shown while it stands in the workspace, and not while a link that leads out has its place", async () => {
    const [file, symbol] = [join(root, "src/page.tsx"), "src/page.tsx#PAGE"];
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await ask(createDescribeSymbol(service), { symbol })).not.toContain("CANARY");
      rmSync(file);
      writeFileSync(file, 'export const PAGE = "inside" as const;\n');
      expect(await ask(createDescribeSymbol(service), { symbol })).toContain('"inside"');
      rmSync(file);
      symlinkSync("../../other/page.tsx", file);
    }
    expect(await ask(createDescribeSymbol(service), { symbol })).not.toContain("CANARY");
  });
});
