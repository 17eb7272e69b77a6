/**
 * The next answer after any change is the answer of a compiler that starts on the changed disk and buffers. With
 * `AGENTQ_TESTS=all` there are two walks, each four times as long.
 */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createAproposSearch } from "../../server/src/tools/introspection/apropos-search.ts";
import { createDescribeSymbol } from "../../server/src/tools/introspection/describe-symbol.ts";
import { createWhoCalls } from "../../server/src/tools/introspection/who-calls.ts";
import type { Tool, ToolAnswer } from "../../server/src/tools/tool.ts";
import { createTypeScript, type TypeScriptService } from "../../server/src/typescript/typescript-service.ts";
import { runsAll } from "../support/extent.ts";
import { FreshnessWalk } from "./freshness-walk.ts";

const STEPS = Number(process.env["AGENTQ_FRESHNESS_STEPS"] ?? (runsAll ? 260 : 15));
const SEEDS = process.env["AGENTQ_FRESHNESS_SEED"]?.split(",").map(Number) ?? (runsAll ? [3, 13] : [13]);
const MINUTES = 60_000;

it.concurrent.each(SEEDS)(
  "is not stale after any step of the walk with seed %i",
  { timeout: 10 * MINUTES },
  async (seed) => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "agentq-fresh-")));
    const service = start(root);
    const walk = new FreshnessWalk(root, seed, service.documents);
    const stale: string[] = [];
    const taken: string[] = [];
    try {
      for (let step = 1; step <= STEPS && stale.length === 0; step += 1) {
        taken.push(walk.step());
        const warm = await answers(service);
        const fresh = start(root);
        for (const document of walk.buffers.values()) fresh.documents.didOpen(document);
        const cold = await answers(fresh);
        await fresh.dispose();
        if (warm !== cold || /^(?:\w*Error|ToolFailure): /m.test(warm))
          stale.push(`seed ${seed}, step ${step}: ${taken.slice(-4).join("; ")}\n${difference(warm, cold)}`);
      }
    } finally {
      await service.dispose();
      rmSync(root, { recursive: true, force: true });
    }
    expect(stale).toEqual([]);
  },
);

function start(root: string): TypeScriptService {
  return createTypeScript({ workspaceFolders: [root], onState: () => undefined, log: () => undefined });
}

async function answers(service: TypeScriptService): Promise<string> {
  const asked: readonly [Tool, Record<string, unknown>][] = [
    [createAproposSearch(service), { pattern: "/^(?:alpha|beta|gamma|value\\d)/", limit: 200 }],
    [createWhoCalls(service), { symbol: "alpha" }],
    [createWhoCalls(service), { symbol: "lib#beta" }],
    [createDescribeSymbol(service), { symbol: "gamma" }],
    [createDescribeSymbol(service), { symbol: "app/src/c.ts#value0" }],
  ];
  const texts: string[] = [];
  for (const [tool, args] of asked) {
    const context = { callId: "1", caller: "model", signal: AbortSignal.timeout(MINUTES) } as const;
    // A failure is compared too: it may stand in both, or in one.
    const answer = await Promise.resolve(tool.run(args, context)).catch((error: unknown) => String(error));
    if (typeof answer === "string") texts.push(answer);
    else texts.push((answer as ToolAnswer).content, ...((answer as ToolAnswer).notes ?? []));
  }
  return texts.join("\n");
}

function difference(warm: string, cold: string): string {
  const [were, are] = [warm.split("\n"), cold.split("\n")];
  const lost = are.filter((line) => !were.includes(line)).map((line) => `  only cold: ${line}`);
  const extra = were.filter((line) => !are.includes(line)).map((line) => `  only warm: ${line}`);
  const failed = were.filter((line) => /^(?:\w*Error|ToolFailure): /.test(line));
  return [...failed, ...lost, ...extra].slice(0, 12).join("\n");
}
