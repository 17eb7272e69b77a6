/** Standard decorators and `accessor`, which no Node runs: what they are lowered to must not show. */
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { shareRedefineImage, startRedefineImage, type RedefineImage } from "../redefine/redefine-project.ts";

const DECORATORS = `
export const seen: string[] = [];
export function entity(name: string) { return (value: Function, context: ClassDecoratorContext): void => void seen.push(name + " " + context.name) }
export function wrapped<T extends new (...all: any[]) => object>(value: T, _: ClassDecoratorContext) { return class extends value { wrap = "wrapped" } }
export function tagged(tag: string) { return (_: unknown, context: ClassMethodDecoratorContext): void => context.addInitializer(function (this: any) { this.tag = tag }) }
export function column(target: any, context: ClassAccessorDecoratorContext): any { return { get(this: any) { return target.get.call(this) }, set(this: any, value: unknown) { seen.push(String(context.name)); target.set.call(this, value) } } }
`;
const user = (body: string): string => `@entity("users") export class User {
  @column accessor name = "ann"; ${body}
  accessor age = 1; static accessor made = 0; static total = 0;
  copy(): User { return new User() }
}`;

const shared = shareRedefineImage();
let t: RedefineImage;
beforeEach(async () => {
  t = shared();
  t.write("src/decorators.ts", DECORATORS);
  t.write(
    "src/user.ts",
    `import { column, entity, tagged, wrapped } from "./decorators.ts";\n${user("")}\n` +
      `@entity("hidden") class Hidden { static all = 2; n = 1 }\n@wrapped export class Boxed { say(): string { return "old" } }\n` +
      `export class Left { @tagged("left") run(): void {} }\nexport class Right { @tagged("right") run(): void {} }\n` +
      `export const all = (): readonly unknown[] => [User, Boxed, Hidden];\n`,
  );
  t.write("src/uses.ts", `import { User } from "./user.ts";\nexport const old = new User();\n`);
  await t.value("import { old } from './src/uses.ts'; import { seen } from './src/decorators.ts'; 1");
  await t.value("import { all, Boxed, Left, Right, User } from './src/user.ts'; 1");
});

it("gives what old instances need when a class with decorators is redefined", async () => {
  await t.value("old.name = 'bea'; old.age = 7; User.made = 3; User.total = 4");
  const report = await t.installOne("user.ts", user("greet(): string { return 'hi ' + this.name }"));
  expect(report).toMatchObject({ name: "User", kind: "class", newPrivates: [], classChange: { instances: 1 } });
  expect(await t.value("[old.greet(), old.age, User.made, User.total, seen.join()]")).toBe(
    '["hi bea", 7, 3, 4, "users User,hidden Hidden,name,users User"]',
  );
  expect(await t.value("[old instanceof User, all()[0] === User, new User().copy() instanceof User]")).toBe(
    "[true, true, true]",
  );
});

it("goes through the decorators of the new definition for old instances with private names too", async () => {
  const logged =
    "export const log: string[] = [];\nexport const logged = (f: any, { name }: ClassMethodDecoratorContext) => function (this: any, ...all: any[]) { log.push(String(name)); return f.apply(this, all) };\n";
  const vault = (more: string): string =>
    `export class Vault { #coins = 1; @logged add(n: number) { const put = () => (this.#coins += n); return put() ${more} } @column accessor label = "l" }`;
  t.write("src/vault.ts", `import { column } from "./decorators.ts";\n${logged}${vault("")}\n`);
  await t.value("import { log, Vault } from './src/vault.ts'; const vault = new Vault(); vault.add(1)");
  await t.install("vault.ts", vault("* 10"));
  expect(
    await t.value("vault.label = 'm'; [vault.add(2), new Vault().add(3), log.join(), seen.at(-1), vault.label]"),
  ).toBe('[40, 40, "add,add,add", "label", "m"]');
  await t.install("vault.ts", vault("* 100"));
  expect(await t.value("[vault.add(1), log.length]")).toBe("[500, 4]");
});

it("knows a class with decorators by its name in its module", async () => {
  expect(await t.inModule("user.ts", "[Hidden.name, new Hidden().n, Hidden.all]")).toBe('["Hidden", 1, 2]');
});

it("finds what decorators made of a class when that is redefined", async () => {
  const form = `@wrapped export class Boxed { say(): string { return "new" } }`;
  await t.value("const box = new Boxed(); 1");
  const report = await t.installOne("user.ts", form);
  expect(report.classChange).toMatchObject({ instances: 1, problems: [] });
  expect(await t.value("[box.say(), box.wrap, new Boxed().say(), new Boxed().wrap]")).toBe(
    '["new", "wrapped", "new", "wrapped"]',
  );
});

it("does not let the decorators of one class loose on another", async () => {
  await t.install("user.ts", `export class Right { @tagged("third") run(): void {} }`);
  expect(await t.value("[new Left().tag, new Right().tag]")).toBe('["left", "third"]');
  await t.value("import { tagged } from './src/decorators.ts'; class One { @tagged('one') run() {} }");
  expect(await t.value("class Two { @tagged('two') run() {} }")).toBe("undefined");
  expect(await t.value("[new One().tag, new Two().tag]")).toBe('["one", "two"]');
});

it("declares a class with decorators in a form, again with its instances", async () => {
  await t.value("import { entity } from './src/decorators.ts'; @entity('a') class Note { static made = 1; n = 2 }");
  expect(await t.value("const note = new Note(); Note.made = 5; note.n")).toBe("2");
  await t.value("@entity('a') class Note { static made = 1; n = 2; twice() { return this.n * 2 } }");
  expect(await t.value("[note.twice(), Note.made, note instanceof Note]")).toBe("[4, 5, true]");
});

it("calls the field behind an accessor by the accessor's name, wherever it stands in its file", async () => {
  const result = await t.evaluate(
    "class Early { accessor first = 1 } class Late { accessor second = 2; static accessor made = 3 }",
  );
  expect(result.outcome).toBe("value");
  expect(await t.value("Object.create(Late.prototype).second").catch(String)).toContain("#accessor_second ");
  expect(await t.value("Object.getOwnPropertyDescriptor(Late, 'made').get.call({})")).toBe("3");
});

it("follows legacy decorators: no value in a form, old instances go through them, `accessor` runs, enums are their types", async () => {
  // The forms follow the options of the project's own folder.
  const own = startRedefineImage();
  onTestFinished(() => own.dispose());
  const options = { experimentalDecorators: true, emitDecoratorMetadata: true, module: "nodenext" };
  own.write("tsconfig.json", JSON.stringify({ compilerOptions: options }));
  const decorators =
    "export const log: string[] = [];\nexport function logged(_: object, name: string, own: PropertyDescriptor): void { const f = own.value; own.value = function (this: unknown, ...all: unknown[]) { log.push(name); return f.apply(this, all) } }\nfunction marked(_: Function): void {}\n";
  const till = (more: string): string =>
    `@marked export class Till { #coins = 1; accessor owner = "a"; @logged take(): number { return this.#coins ${more} } }`;
  own.write("src/till.ts", `${decorators}${till("")}\n\nexport const fails = () => { throw new Error("here") };\n`);
  expect(
    await own.value("import { fails, log, logged, Till } from './src/till.ts'; const till = new Till(); till.owner"),
  ).toBe('"a"');
  await own.install("till.ts", till("* 10"));
  expect(await own.value("[till.take(), new Till().take(), log.join(), till.owner]")).toBe(
    '[10, 10, "take,take", "a"]',
  );
  expect(await own.value("class Own { @logged go() { return 1 } accessor n = 2 }")).toBe("undefined");
  expect(await own.value("[new Own().go(), new Own().n, log.at(-1)]")).toBe('[1, 2, "go"]');
  const { error } = await own.evaluate("fails()");
  expect(error?.frames[0]).toMatchObject({ line: 5, code: 'export const fails = () => { throw new Error("here") };' });
  own.write(
    "src/kinds.ts",
    'export enum Num { A, B }\nexport enum Text { A = "a" }\nexport enum Both { A, B = "b" }\nexport class Other {}\n' +
      "export const seen: unknown[] = [];\n(Reflect as any).metadata = (_: string, value: any) => () => void seen.push([value].flat().map((each) => each?.name));\n" +
      "export const typed = (..._: unknown[]): void => {};\n",
  );
  const row =
    "class Row { @typed num!: Num; @typed text!: Text; @typed run(a: Both, b: Other): Num { return a as Num } }";
  await own.value("import { Both, Num, Other, seen, Text, typed } from './src/kinds.ts'; 1");
  expect(await own.value(`${row}; seen.flat().join()`)).toBe('"Number,String,Number,Object,Other,Function"');
});

it("runs decorators and `accessor` of JavaScript", async () => {
  t.write(
    "src/plain.js",
    "const mark = (c) => void (c.marked = 1);\n@mark export class Plain { accessor n = 2 }\nexport @mark class Other {}\n",
  );
  expect(
    await t.value("import { Other, Plain } from './src/plain.js'; [Plain.marked, new Plain().n, Other.marked]"),
  ).toBe("[1, 2, 1]");
});
