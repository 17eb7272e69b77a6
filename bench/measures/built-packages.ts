/**
 * Who calls a function of one package of a monorepo, in each state that the packages' builds can be in, beside the same
 * packages when they lead to their sources. What differs is what the searches for uses behind a build cost.
 */
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { ToolResult } from "../../server/src/protocol/tool-shapes.ts";
import { LspClient } from "../support/lsp-client.ts";
import { canReadProcesses, totalCpuMs } from "../support/processes.ts";
import { rowsOf, type MeasureReport } from "../support/report.ts";
import { inTurns, timed } from "../support/rounds.ts";
import { agentqServer, nativeServer } from "../support/servers.ts";
import { inTemporaryFolder, type Setting } from "../support/setting.ts";

const PACKAGES = 30;
const MODULES = 40;
const ROUNDS = 5;
const WARM_QUESTIONS = 10;
const ASKED = "packages/part0/src/index.ts#format";

const SOURCES = "exports lead to sources";
const STATES: Readonly<
  Record<string, { readonly leads: string; readonly isBuilt: boolean; readonly hasMap: boolean }>
> = {
  [SOURCES]: { leads: "./src/index.ts", isBuilt: false, hasMap: false },
  "built, with maps": { leads: "./dist/index.d.ts", isBuilt: true, hasMap: true },
  "built, without maps": { leads: "./dist/index.d.ts", isBuilt: true, hasMap: false },
  "never built": { leads: "./dist/index.d.ts", isBuilt: false, hasMap: false },
};

interface Sample {
  readonly firstMs: number;
  readonly cpuMs: number;
  readonly warmMs: readonly number[];
  /** The question after the text of one module was changed on the disk. */
  readonly afterEditMs: number;
}

export function measureBuiltPackages({ program, rounds }: Setting): Promise<MeasureReport> {
  return inTemporaryFolder(async (folder) => {
    const contenders = Object.fromEntries(
      Object.keys(STATES).map((state, index) => {
        const root = path.join(folder, String(index));
        writePackages(root, state);
        return [state, () => sampleOf(program, root)];
      }),
    );
    const samples = await inTurns(contenders, rounds(ROUNDS));
    const each = <Figure>(figure: (sample: Sample) => Figure): Record<string, Figure[]> =>
      Object.fromEntries(Object.entries(samples).map(([name, list]) => [name, list.map(figure)]));
    const warm = Object.fromEntries(
      Object.entries(each(({ warmMs }) => warmMs)).map(([name, lists]) => [name, lists.flat()]),
    );
    return {
      rows: [
        ...rowsOf(
          { measure: "first who_calls in a monorepo, from the spawn", unit: "ms" },
          each((s) => s.firstMs),
          SOURCES,
        ),
        ...(canReadProcesses
          ? rowsOf(
              { measure: "processor time until then", unit: "ms" },
              each((s) => s.cpuMs),
              SOURCES,
            )
          : []),
        ...rowsOf({ measure: "the question again", unit: "ms" }, warm, SOURCES),
        ...rowsOf(
          { measure: "the question after an edit", unit: "ms" },
          each((s) => s.afterEditMs),
          SOURCES,
        ),
      ],
      notes: [
        `${PACKAGES} packages of ${MODULES} modules; every package but the asked one calls the function once, and each state gives all ${PACKAGES - 1} calls.`,
      ],
    };
  });
}

async function sampleOf(program: string, root: string): Promise<Sample> {
  const client = new LspClient(agentqServer(program), root);
  const ask = async (): Promise<void> => {
    const call = { name: "who_calls", arguments: { symbol: ASKED } };
    const { success, content, error } = await client.request<ToolResult>("agentq/callTool", call);
    const calls = /^(\d+) call sites? in/m.exec(content)?.[1];
    if (!success || Number(calls) !== PACKAGES - 1)
      throw new Error(error ?? `not every call: ${content.slice(0, 300)}`);
  };
  try {
    await client.start(root);
    await ask();
    const firstMs = client.sinceSpawn();
    const cpuMs = canReadProcesses ? totalCpuMs(client.pid) : Number.NaN;
    const warmMs: number[] = [];
    for (let question = 0; question < WARM_QUESTIONS; question += 1) warmMs.push(await timed(ask));
    appendFileSync(path.join(root, "packages/part1/src/module1.ts"), "// One more line.\n");
    return { firstMs, cpuMs, warmMs, afterEditMs: await timed(ask) };
  } finally {
    await client.close();
  }
}

function writePackages(root: string, name: string): void {
  const { leads, isBuilt, hasMap } = STATES[name] ?? { leads: "", isBuilt: false, hasMap: false };
  const write = (file: string, text: string): void => {
    const whole = path.join(root, file);
    mkdirSync(path.dirname(whole), { recursive: true });
    writeFileSync(whole, text);
  };
  write("package.json", '{ "name": "many", "private": true, "type": "module" }\n');
  write("pnpm-workspace.yaml", "packages:\n  - packages/*\n");
  mkdirSync(path.join(root, "node_modules/@w"), { recursive: true });
  const names = Array.from({ length: PACKAGES }, (_, index) => `part${index}`);
  for (const [index, each] of names.entries()) {
    const folder = `packages/${each}`;
    write(
      `${folder}/package.json`,
      `${JSON.stringify({ name: `@w/${each}`, type: "module", exports: { ".": leads } })}\n`,
    );
    const options = { ...OPTIONS, declarationMap: hasMap };
    const references = index === 0 ? [] : [{ path: "../part0" }];
    write(`${folder}/tsconfig.json`, `${JSON.stringify({ compilerOptions: options, include: ["src"], references })}\n`);
    for (let module = 0; module < MODULES; module += 1) write(`${folder}/src/module${module}.ts`, moduleText(module));
    write(`${folder}/src/index.ts`, index === 0 ? ASKED_TEXT : USE_TEXT);
    symlinkSync(path.join(root, folder), path.join(root, "node_modules/@w", each));
  }
  write(
    "tsconfig.json",
    `${JSON.stringify({ files: [], references: names.map((each) => ({ path: `packages/${each}` })) })}\n`,
  );
  if (!isBuilt) return;
  const [compiler] = nativeServer().command;
  const { status, stdout } = spawnSync(compiler, ["--build", root], { encoding: "utf8" });
  if (status !== 0) throw new Error(`the packages cannot be built: ${stdout}`);
}

const OPTIONS = {
  target: "es2022",
  module: "nodenext",
  strict: true,
  types: [],
  composite: true,
  rootDir: "src",
  outDir: "dist",
  rewriteRelativeImportExtensions: true,
};
const ASKED_TEXT =
  'export { item0 } from "./module0.ts";\nexport function format(text: string): string {\n  return text;\n}\n';
const USE_TEXT = 'import { format } from "@w/part0";\nexport const used: string = format("x");\n';

function moduleText(index: number): string {
  const before = index === 0 ? "" : `import { item${index - 1} } from "./module${index - 1}.ts";\n`;
  const of = index === 0 ? "0" : `item${index - 1}(size) + 1`;
  return `${before}export function item${index}(size: number): number {\n  return size + ${of};\n}\n`;
}
