/** A home, and a folder for temporary files, where others may put something else in their place, as on some shared hosts. */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { itAtLength } from "../support/extent.ts";
import { ServerClient } from "../support/server-client.ts";

const folders = (): { readonly project: string; readonly shared: string; readonly env: Record<string, string> } => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "agentq-shared-")));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const name of ["tmp", "shared/home", "shared/tmp", "shared/project"])
    mkdirSync(join(root, name), { recursive: true });
  const shared = join(root, "shared");
  chmodSync(shared, 0o777);
  writeFileSync(join(shared, "project/package.json"), '{ "type": "module" }');
  const env = { HOME: join(shared, "home"), TMPDIR: join(root, "tmp"), XDG_CACHE_HOME: join(shared, "home/.cache") };
  return { project: join(shared, "project"), shared, env };
};
const NEEDS_SWC = "const mark = (made: unknown): any => made; @mark class Marked { n = 7 } new Marked().n";

it("evaluates there, also what only swc transpiles", async () => {
  const { project, env } = folders();
  const client = new ServerClient({ isProgram: true, env });
  onTestFinished(async () => {
    await client.close();
  });
  await client.initialize([project]);
  expect(await client.request("agentq/evaluate", { code: "1 + 1" })).toMatchObject({ preview: "2" });
  expect(await client.request("agentq/evaluate", { code: NEEDS_SWC })).toMatchObject({ preview: "7" });
});

itAtLength("tells why swc cannot be loaded, and evaluates what needs none", async () => {
  const { project, env } = folders();
  const client = new ServerClient({ isProgram: true, env: { ...env, SWC_NATIVE_BINDING_CACHE: "nowhere" } });
  onTestFinished(async () => {
    await client.close();
  });
  await client.initialize([project]);
  expect(await client.request("agentq/evaluate", { code: "const n: number = 2; n" })).toMatchObject({ preview: "2" });
  const { error } = await client.request("agentq/evaluate", { code: NEEDS_SWC });
  expect(error?.message).toMatch(/swc, which transpiles this code, cannot be loaded: .*SWC_NATIVE_BINDING_CACHE/);
  expect(await client.request("agentq/evaluate", { code: "n" })).toMatchObject({ preview: "2" });
});

it("says what to do where others may replace what stands in the folder for temporary files", async () => {
  const { project, shared, env } = folders();
  const client = new ServerClient({ isProgram: true, env: { ...env, TMPDIR: join(shared, "tmp") } });
  onTestFinished(async () => {
    await client.close();
  });
  await client.initialize([project]);
  const { error } = await client.request("agentq/evaluate", { code: "1" });
  expect(error?.message).toContain(`set TMPDIR to one that is: others may write into ${shared}: chmod go-w ${shared}`);
});
