/** How modules are found, kept fresh and remembered, on the Nodes that the other tests of it do not run in. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Evaluated, EvaluateRequest } from "../../../../server/src/repl/image.ts";
import type { Repl } from "../../../../server/src/repl/repl.ts";
import { describeContractInEachNode } from "../../../support/node-versions.ts";
import { replOn, startOn, type TestImage } from "../with-image.ts";

describeContractInEachNode([22, 26], (node) => {
  const buffers = new Map<string, string>();
  let t: TestImage;
  let repl: Repl;
  beforeAll(() => {
    t = startOn(node, { readSource: (path) => buffers.get(path) });
    repl = replOn(t.image);
  });
  afterAll(() => t.dispose());

  const evaluate = (code: string, more: Partial<EvaluateRequest> = {}): Promise<Evaluated> =>
    repl.evaluate({ code, by: "agent", ...more }, new AbortController().signal);
  const value = async (code: string): Promise<string | undefined> => {
    const { outcome, error, preview } = await evaluate(code);
    expect([outcome, error?.message]).toEqual(["value", undefined]);
    return preview;
  };
  const edited = (path: string, from: string, to: string): string => {
    const text = readFileSync(join(t.root, path), "utf8");
    expect(text).toContain(from);
    return text.replace(from, to);
  };

  it("follows the paths of a tsconfig, also those that came after an import failed", async () => {
    t.write("tsconfig.json", '{ "include": ["src"] }');
    expect((await evaluate("import { rate } from '@app/money'; rate")).outcome).toBe("error");
    const paths = '"paths": { "@app/*": ["./src/*"], "settings": ["./src/settings.json"] }';
    t.write("tsconfig.json", '{ "files": [], "references": [{ "path": "./tsconfig.app.json" }] }');
    t.write("tsconfig.app.json", `{ "compilerOptions": { "composite": true, ${paths} }, "include": ["src"] }`);
    t.write("src/doubled.ts", "import { rate } from '@app/money';\nexport const doubled = rate * 2;");
    expect(await value("import { doubled } from '@app/doubled'; doubled")).toBe("4");
    expect(await value("[(await import('@app/money')).rate, require('settings').currency]")).toBe('[2, "EUR"]');
    expect((await evaluate("import { x } from '@app/nowhere'; x")).error?.message).toContain("@app/nowhere");
  });

  it("gives the new code of what changed on disk or in a buffer, with its importers, and says so once", async () => {
    const total = "import { Invoice } from './src/invoice.ts'; new Invoice('x').add('a', 10).total().cents";
    expect(await value(total)).toBe("25");
    await value("globalThis.old = new Invoice('o'); 1");
    t.write("src/money.ts", edited("src/money.ts", "rate = 2", "rate = 3"));
    const fresh = await evaluate(total);
    expect([fresh.preview, fresh.notes[0]?.message]).toEqual(["35", expect.stringContaining("src/invoice.ts")]);
    expect((await evaluate(total)).notes).toEqual([]);
    buffers.set(join(t.root, "src/invoice.ts"), edited("src/invoice.ts", "surcharge = 5", "surcharge = 50"));
    expect(await value(`[(${total.split("; ")[1] ?? ""}), old.total().cents]`)).toBe("[35, 5]");
    expect(await value(total)).toBe("80");
    buffers.clear();
    expect(await value(total)).toBe("35");
    const label =
      "import old from './src/old-style.cts'; import s from './src/settings.json'; [old.label('a'), s.currency]";
    expect(await value(label)).toBe('["old-a", "EUR"]');
    t.write("src/old-style.cts", edited("src/old-style.cts", '"old"', '"new"'));
    t.write("src/settings.json", '{ "currency": "SEK" }');
    expect(await value(label)).toBe('["new-a", "SEK"]');
    expect((await evaluate("import { half } from './src/broken.ts'; half")).error?.name).toBe("SyntaxError");
    t.write("src/broken.ts", "export const half = 21;");
    expect(await value("import { half } from './src/broken.ts'; half")).toBe("21");
  });

  it("remembers who evaluated what, across a crash, and replays what is chosen under its old handle", async () => {
    const before = repl.history().total;
    expect(await value("const kept = { n: 40 }; kept")).toBe("{ n: 40 }");
    await evaluate("throw new RangeError('too far')", { by: "person" });
    const [failed, first] = repl.history().items;
    expect(failed).toMatchObject({ by: "person", outcome: "error", error: "RangeError: too far", stateKept: true });
    expect(first).toMatchObject({ by: "agent", outcome: "value", preview: "{ n: 40 }" });
    const crash = await evaluate("process.kill(process.pid, 'SIGKILL'); await new Promise(() => {})");
    expect(crash).toMatchObject({ outcome: "crashed", stateKept: false });
    expect(repl.history().total).toBe(before + 3);
    expect((await evaluate("kept")).outcome).toBe("error");
    const { evalId = "", valueId = "" } = first ?? {};
    await repl.restart({ replay: [evalId] }, new AbortController().signal);
    expect(await value(`[kept.n, ${valueId} === kept]`)).toBe("[40, true]");
  });
});
