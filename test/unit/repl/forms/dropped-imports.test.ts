import { beforeEach, describe, expect, it } from "vitest";
import { shareRedefineImage, type RedefineImage } from "../redefine/redefine-project.ts";

const shared = shareRedefineImage();
let t: RedefineImage;
beforeEach(() => {
  t = shared();
  t.write(
    "src/state.ts",
    "export enum State { Open = 'open', Done = 'done' }\nexport class Job { state = State.Open }\n",
  );
  t.write(
    "src/jobs.ts",
    "import { Job, State } from './state.ts';\nimport type { State as Kind } from './state.ts';\n" +
      "export function show(job: Job): string { return job.state satisfies State satisfies Kind }\n",
  );
});

describe("an import that the module uses for types alone", () => {
  it("is there for forms in the module, as it is now", async () => {
    expect(await t.inModule("jobs.ts", "const job = new Job(); [show(job), State.Done, { State }]")).toBe(
      '["open", "done", { State: { Open: "open", Done: "done" } }]',
    );
    expect(await t.inModule("jobs.ts", "const late = () => Object.keys(State); typeof State")).toBe('"object"');
    await t.installOne("state.ts", "export enum State { Open = 'open', Done = 'done', Late = 'late' }");
    expect(await t.inModule("jobs.ts", "[late(), ((State: string) => State)('mine')]")).toBe(
      '[["Open", "Done", "Late"], "mine"]',
    );
  });

  it("is there for functions, classes and methods that are installed", async () => {
    await t.value("import { show } from './src/jobs.ts'; import { Job } from './src/state.ts'; 1");
    await t.install("jobs.ts", "export function show(job: Job): string { return `${job.state} ${State.Done}` }");
    expect(await t.value("show(new Job())")).toBe('"open done"');
    t.write(
      "src/board.ts",
      "import { State } from './state.ts';\nexport class Board { #is: State | 0 = 0; tell() { return this.#is } }\n",
    );
    await t.value("import { Board } from './src/board.ts'; const board = new Board(); board.tell()");
    await t.install("board.ts", "Board.plain() { return State.Done }");
    await t.install("board.ts", "Board.tell() { return [this.#is, State.Open] }");
    expect(await t.value("[(board as any).plain(), board.tell()]")).toBe('["done", [0, "open"]]');
    await t.install("board.ts", "export class Board { #is: State | 0 = 0; tell() { return [this.#is, State.Done] } }");
    expect(await t.value("[board.tell(), new Board().tell()]")).toBe('[[0, "done"], [0, "done"]]');
  });

  it("that was a type says so when a form uses it as a value; a name of a form stands before it", async () => {
    t.write("src/kinds.ts", "export interface Kind { a: number }\nexport const one = 1;\n");
    t.write(
      "src/user.ts",
      "import { type Kind as Said, Kind } from './kinds.ts';\nexport const kind: Kind & Said = { a: 1 };\n",
    );
    const failed = await t.evaluate("\nKind", { module: t.path("user.ts") });
    expect(failed.error).toMatchObject({ message: "./kinds.ts has no export named 'Kind'. It exports: one" });
    expect(failed.error?.frames[0]).toMatchObject({ line: 1 });
    const said = await t.evaluate("Said", { module: t.path("user.ts") });
    expect(said.error?.message).toBe("Said is not defined");
    expect(await t.inModule("user.ts", "const Kind = 3; Kind")).toBe("3");
    expect(await t.inModule("user.ts", "Kind + 1")).toBe("4");
  });
});

it("a method by itself has the imports of a module that became CommonJS", async () => {
  t.write(
    "src/old/tools.cts",
    "export class Failure extends Error { code = 7 }\nexport const tag = (s: unknown) => `<${s}>`;\n",
  );
  t.write(
    "src/old/worker.cts",
    "import { Failure, tag } from './tools.cjs';\nimport { State } from '../state.ts';\n" +
      "export class Worker { #n = 1; is?: State; run() { return tag(this.#n) } fail() { throw new Failure('x') } }\n",
  );
  await t.value("import { Worker } from './src/old/worker.cts'; const worker = new Worker(); worker.run()");
  await t.install("old/worker.cts", "Worker.fail() { return [tag('plain'), new Failure('y').code] }");
  await t.install("old/worker.cts", "Worker.run() { return tag(this.#n + 1) + State.Open }");
  expect(await t.value("[worker.fail(), worker.run()]")).toBe('[["<plain>", 7], "<2>open"]');
  await t.install("old/worker.cts", "Worker.fail() { const e = tag(1); throw new Failure(tag(2) + e); }");
  const failed = await t.evaluate("worker.fail()");
  expect(failed.error).toMatchObject({ message: "<2><1>" });
  expect(failed.error?.frames[0]).toMatchObject({ line: 0, character: 40 });
});

describe("an import declaration that is evaluated in the scope of its module", () => {
  it.each(["module", "commonjs"] as const)("changes nothing and is seen as before, in a %s", async (format) => {
    const [file, from] = format === "module" ? ["tally.ts", "./count.ts"] : ["tally.cts", "./count.cts"];
    t.write(`src/${from.slice(2)}`, "export let count = 1;\nexport const add = () => ++count;\nexport default 'it';\n");
    t.write(
      `src/${file}`,
      `import it, { count, add as more } from '${from}';\nimport * as all from '${from}';\nexport const tell = () => [it, count, more, all.count];\n`,
    );
    const lines = `import it, { count, add as more } from '${from}';\nimport * as all from '${from}';`;
    expect(await t.inModule(file, `${lines}\n[it, count, more(), count, all.count]`)).toBe('["it", 1, 2, 2, 2]');
    expect(await t.inModule(file, lines)).toBe("undefined");
    expect(await t.inModule(file, "more(); [count, tell()[1]]")).toBe("[3, 3]");
  });

  it("is refused when it would give the name another meaning, and says what can be done", async () => {
    t.write("src/one.ts", "export const name = 'one';\n");
    t.write("src/two.ts", "export const name = 'two', other = 'other';\n");
    t.write("src/uses.ts", "import { name } from './one.ts';\nexport const tell = () => name;\n");
    const module = t.path("uses.ts");
    const message =
      "name is imported from ./one.ts here: give what you declare another name, or redefine name in that module.";
    for (const code of ["1;\nimport { name } from './two.ts'; name", "1;\nconst name = 3", "1;\nclass name {}"]) {
      const { error } = await t.evaluate(code, { module });
      expect(error).toMatchObject({ name: "SyntaxError", message });
      expect(error?.frames[0]).toMatchObject({ line: 1 });
    }
    expect(await t.inModule("uses.ts", "import { name as second, other } from './two.ts'; [name, second, other]")).toBe(
      '["one", "two", "other"]',
    );
    expect(await t.inModule("uses.ts", "(() => { const name = 'mine'; return [name, second] })()")).toBe(
      '["mine", "two"]',
    );
  });

  it("may be followed by a declaration of that name where the module has no binding", async () => {
    t.write("src/first.cts", "export const name = 'first';\n");
    t.write("src/second.cts", "import { name } from './first.cts';\nexport const tell = () => name;\n");
    expect(await t.inModule("second.cts", "[name, tell()]")).toBe('["first", "first"]');
    expect(await t.inModule("second.cts", "const name = 'form'; [name, tell()]")).toBe('["form", "first"]');
    expect(await t.inModule("second.cts", "name")).toBe('"form"');
  });
});
