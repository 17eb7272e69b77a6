import { beforeEach, describe, expect, it } from "vitest";
import { itAtLength } from "../../../support/extent.ts";
import { held, shareRedefineImage, type RedefineImage } from "./redefine-project.ts";

const shared = shareRedefineImage();
let t: RedefineImage;
beforeEach(() => {
  t = shared();
});

const shape = (body: string): string =>
  `export class Shape { static made = 0; static of(name: string) { return new Shape(name) } constructor(readonly name: string) { Shape.made++ } ${body} }`;

describe("a class that is redefined", () => {
  beforeEach(async () => {
    await t.value("import { draw, drawOld } from './src/app.ts'; import { Shape, Square } from './src/shapes.ts'; 1");
    await t.value("const old = draw(), square = new Square(4), OldShape = Shape; [old.describe(), square.describe()]");
  });

  it("gives its methods and getters to old instances, and to subclasses with `super`", async () => {
    const report = await t.installOne(
      "shapes.ts",
      shape(
        "describe() { return 'new ' + this.name } get label() { return '{' + this.name + '}' } fresh() { return 1 }",
      ),
    );
    expect(report.classChange).toMatchObject({ instances: 2, subclasses: ["Square"], problems: [] });
    expect(await t.value("[old.describe(), old.label, old.fresh(), square.describe(), square.label]")).toBe(
      '["new drawn", "{drawn}", 1, "new square of 4", "{square}"]',
    );
    expect(await t.value("draw().describe()")).toBe('"new drawn"');
  });

  it("takes away what the new text does not have any more", async () => {
    await t.install("shapes.ts", shape(""));
    expect(await t.value("[typeof old.describe, old.label, 'label' in square]")).toBe(
      '["undefined", undefined, false]',
    );
  });

  it("is shown as one class, however often it was redefined", async () => {
    for (let times = 0; times < 3; times++) await t.install("shapes.ts", shape(`describe() { return '${times}' }`));
    const page = await t.image.inspect({ value: "old" });
    expect(page).toMatchObject({ page: { facts: [{ name: "prototypes", text: "Shape < Object" }] } });
    expect(JSON.stringify(page)).toContain("Shape before it was redefined {}");
  });

  it("names a map that has the old class as a key: who looks there for the new one finds nothing", async () => {
    await t.value("const byClass = new Map<unknown, string>([[Shape, 'shape'], ['other', 'x']])");
    const report = await t.installOne("shapes.ts", shape("describe() { return 'd' }"));
    expect(held(report)).toEqual(expect.arrayContaining(["the REPL byClass.has(…)"]));
  });

  it("constructs subclasses with the new constructor, and says which fields old instances lack", async () => {
    const report = await t.installOne("shapes.ts", shape("corners = 4; describe() { return 'd' }"));
    expect(report.newFields).toEqual(["corners"]);
    expect(await t.value("[new Square(1).corners, square.corners, new Square(1).describe()]")).toBe(
      '[4, undefined, "d of 1"]',
    );
  });

  it("answers `instanceof` with yes between old and new in both directions, and no for strangers", async () => {
    await t.install("shapes.ts", shape(""));
    expect(
      await t.value(
        "[old instanceof Shape, square instanceof Shape, draw() instanceof OldShape, new Square(1) instanceof OldShape, square instanceof Square, draw() instanceof Square, ({}) instanceof OldShape, old.constructor === Shape]",
      ),
    ).toBe("[true, true, true, true, true, false, false, true]");
  });

  it("keeps the values of statics whose initialiser did not change, and takes the others", async () => {
    expect(await t.value("Shape.made")).toBe("2");
    const report = await t.installOne(
      "shapes.ts",
      shape("static readonly limit = 200; static area() { return 'area' }"),
    );
    expect(report.classChange?.kept).toEqual(["made"]);
    expect(await t.value("[Shape.made, Shape.limit, Shape.area(), Square.limit, Square.area(), OldShape.limit]")).toBe(
      '[2, 200, "area", 200, "area", 200]',
    );
    expect(await t.value("draw(); drawOld(); [Shape.made, OldShape.made, Shape.of('x').name]")).toBe('[4, 4, "x"]');
  });

  it("names who holds the old class; what that makes has the new methods all the same", async () => {
    const report = await t.installOne("shapes.ts", shape("describe() { return 'new' }"));
    expect(held(report)).toEqual(["src/app.ts OldShape", "the REPL OldShape"]);
    expect(await t.value("[drawOld().describe(), drawOld() instanceof Shape]")).toBe('["new", true]');
  });

  it("can be redefined again and again", async () => {
    for (const word of ["second", "third", "fourth"]) {
      await t.install("shapes.ts", shape(`describe() { return '${word} ' + this.name }`));
      expect(await t.value("[old.describe(), square.describe(), draw().describe()]")).toBe(
        `["${word} drawn", "${word} square of 4", "${word} drawn"]`,
      );
      await t.value(`const made${word} = draw()`);
    }
    const report = await t.installOne("shapes.ts", shape("describe() { return 'last' }"));
    expect(report.classChange?.subclasses).toEqual(["Square"]);
    expect(await t.value("[old, madesecond, madefourth, square].map((each) => each.describe())")).toBe(
      '["last", "last", "last", "last of 4"]',
    );
  });

  it("may extend another class than before", async () => {
    await t.value("class Root { root() { return 'root of ' + (this as any).name } } globalThis.Root = Root;");
    await t.install(
      "shapes.ts",
      "export class Shape extends (globalThis as any).Root { constructor(readonly name: string) { super() } describe() { return 'd ' + super.root() } }",
    );
    expect(await t.value("[old.root(), old.describe(), square.describe(), new Square(2).root()]")).toBe(
      '["root of drawn", "d root of drawn", "d root of square of 4", "root of square"]',
    );
  });

  it("is redefined by a form inside the module too, at once", async () => {
    const code =
      "class Square extends Shape { constructor(readonly side: number) { super('sq') } describe() { return 'SQ ' + this.side } } new Square(9).describe()";
    expect(await t.inModule("shapes.ts", code)).toBe('"SQ 9"');
    expect(await t.value("square.describe()")).toBe('"SQ 4"');
  });

  it("stays what it was when the new one cannot be made", async () => {
    expect(await t.failure("shapes.ts", "export class Shape extends (undefined as any) {}")).toContain("TypeError");
    expect(await t.value("[old.describe(), Shape.made, old instanceof Shape]")).toBe('["shape drawn", 2, true]');
  });

  it("says that a frozen prototype keeps the old methods", async () => {
    await t.value("Object.freeze(Shape.prototype)");
    const report = await t.installOne("shapes.ts", shape("describe() { return 'new' }"));
    expect(report.classChange?.problems).toEqual([
      "Instances made before keep the old methods: the prototype of the old Shape is frozen.",
    ]);
    expect(await t.value("[old.describe(), draw().describe()]")).toBe('["shape drawn", "new"]');
  });
});

describe("a class with private names", () => {
  const account = (body: string): string =>
    `export class Account { static #opened = 0; #balance = 0; constructor(readonly owner: string) { Account.#opened++ } deposit(cents: number) { this.#balance += cents; return this } static opened() { return Account.#opened } ${body} }`;

  beforeEach(async () => {
    await t.value("import { Account, Savings } from './src/account.ts'; 1");
    await t.value("const old = new Account('Ada').deposit(5), savings = new Savings('Bob').deposit(100); old.balance");
  });

  it("gives methods, getters, generators and symbols that use them to old and new instances", async () => {
    const report = await t.installOne(
      "account.ts",
      account(
        "get balance() { return this.#balance + 1000 } set balance(v: number) { this.#balance = v } *[Symbol.iterator]() { yield 'n'; yield this.#balance }",
      ),
    );
    expect(report.classChange).toMatchObject({ instances: 2, subclasses: ["Savings"], kept: ["#opened"] });
    await t.value("const fresh = new Account('New').deposit(1), freshSavings = new Savings('Sue').deposit(2);");
    expect(await t.value("[old, savings, fresh, freshSavings].map((each) => each.balance)")).toBe(
      "[1005, 1100, 1001, 1002]",
    );
    expect(await t.value("old.balance = 7; [[...old], [...fresh], savings.interest(), Account.opened()]")).toBe(
      '[["n", 7], ["n", 1], 22, 4]',
    );
  });

  it("keeps `super` and the identity of instances in methods that are compiled for the old class", async () => {
    await t.value("const seen = new Set([old]);");
    await t.install(
      "account.ts",
      account("toString() { return super.toString() + this.#balance } self() { this.#balance; return this }"),
    );
    expect(await t.value("[String(old), old.self() === old, seen.has(old.self()), old.deposit.name]")).toBe(
      '["[object Object]5", true, true, "deposit"]',
    );
  });

  it("says which private names old instances lack, and which private methods they keep", async () => {
    const report = await t.installOne(
      "account.ts",
      account(
        "#limit = 9; get limit() { return this.#limit } #secret() { return 'new' } tell() { return this.#secret() }",
      ),
    );
    expect(report).toMatchObject({ newPrivates: ["limit"], changedPrivateMethods: ["secret"] });
    expect(await t.value("[new Account('n').limit, new Account('n').tell(), old.tell()]")).toBe(
      '[9, "new", "old secret"]',
    );
    expect((await t.evaluate("old.limit")).error?.message).toContain("#limit");
  });

  const mixing =
    "same(other: Account) { return this.#balance === other.#balance } own() { return this.#balance } " +
    "static of(other?: Account) { return other?.#balance } static is(other: object) { return #balance in other } " +
    "take(other: Account) { this.#balance += other.#balance; other.#balance = 0; return this } " +
    "#note = ''; static note(other: Account) { [other.#note] = ['taken']; return other.#note } #half() { return this.#balance / 2 } " +
    "static halves(...all: Account[]) { return all.map((each) => each.#half()) } " +
    "next: Account | undefined; static chain(first: Account) { return (first.next as Account).#next2?.#balance } get #next2() { return this.next }";

  it("lets old and new instances ask each other for private names", async () => {
    await t.install("account.ts", account(mixing));
    await t.value("const second = new Account('S').deposit(7);");
    const report = await t.installOne("account.ts", account(mixing));
    expect(report.crossing).toEqual([]);
    await t.value("const fresh = new Account('F').deposit(5);");
    expect(
      await t.value("[old.same(fresh), fresh.same(old), second.same(fresh), fresh.same(second), second.same(old)]"),
    ).toBe("[true, true, false, false, false]");
    expect(await t.value("[old, second, fresh, savings, {}, () => 1].map((each: any) => Account.is(each))")).toBe(
      "[true, true, true, true, false, false]",
    );
    expect(await t.value("[Account.of(), Account.of(old), Account.of(second), Account.halves(second, fresh)]")).toBe(
      "[undefined, 5, 7, [3.5, 2.5]]",
    );
    expect(
      await t.value("fresh.take(second).take(old); second.take(fresh); [old, second, fresh].map((each) => each.own())"),
    ).toBe("[0, 17, 0]");
    expect(await t.value("[Account.note(fresh), Account.note(second)]")).toBe('["taken", "taken"]');
    expect(await t.value("second.next = fresh; fresh.next = second; Account.chain({ next: second } as any)")).toBe("0");
    expect((await t.evaluate("Account.of({} as any)")).error).toMatchObject({
      name: "TypeError",
      message: expect.stringContaining("#balance") as string,
    });
    expect((await t.evaluate("Account.is(5 as any)")).error?.message).toContain("'in' operator");
  });

  it("does so in one method by itself, and in a class of the forms", async () => {
    await t.install("account.ts", account("own() { return this.#balance }"));
    await t.value("const fresh = new Account('F').deposit(6);");
    await t.install("account.ts", "Account.own(other?: Account) { return [this.#balance, other?.#balance] }");
    expect(await t.value("[fresh.own(old), old.own(fresh), old.own()]")).toBe("[[6, 5], [5, 6], [5, undefined]]");
    const point = (word: string) =>
      `class Point { #x = 1; constructor(x: number) { this.#x = x } equals(o: Point) { return ['${word}', this.#x === o.#x] } }`;
    await t.value(`${point("old")} const p = new Point(1); 1`);
    await t.value(`${point("new")} const q = new Point(1); 1`);
    expect(await t.value("[p.equals(q), q.equals(p)]")).toBe('[["new", true], ["new", true]]');
  });

  it("names the members that cannot: what follows on `?.`, classes inside, private methods of old instances", async () => {
    const odd =
      "last(o?: { of: Account }) { return o?.of.#balance } inside() { return class { look(o: Account) { return o.#balance } } } " +
      "#by(o: Account) { return o.#balance } by(o: Account) { return this.#by(o) }";
    await t.install("account.ts", account(odd));
    const second = "const second = new Account('S').deposit(7); second.by(second)";
    expect(await t.value(second)).toBe("7");
    const report = await t.installOne("account.ts", account(odd));
    expect(report.crossing).toEqual(["last", "inside", "#by"]);
    expect(report.changedPrivateMethods).toEqual([]);
    expect(
      await t.value("const fresh = new Account('F'); [fresh.by(second), fresh.last(), fresh.last({ of: fresh })]"),
    ).toBe("[7, undefined, 0]");
    expect((await t.evaluate("second.by(fresh)")).error?.name).toBe("TypeError");
  });

  itAtLength("can be redefined again, for instances of every generation", async () => {
    await t.install("account.ts", account("get balance() { return this.#balance + 1 }"));
    await t.value("const second = new Account('S').deposit(50);");
    await t.install("account.ts", account("get balance() { return -this.#balance }"));
    expect(await t.value("[old.balance, second.balance, savings.balance, new Account('T').balance]")).toBe(
      "[-5, -50, -100, 0]".replace("0]", "-0]"),
    );
  });
});

describe("one method by itself", () => {
  beforeEach(async () => {
    await t.value(
      "import { Account, Savings } from './src/account.ts'; import { Shape, Square } from './src/shapes.ts';",
    );
    await t.value("const account = new Account('Ada').deposit(5), square = new Square(3);");
  });

  it("replaces one member of a class, for every instance", async () => {
    const report = await t.installOne("shapes.ts", "Shape.describe(): string { return `one ${this.name}` }");
    expect(report).toMatchObject({ name: "Shape.describe", kind: "member" });
    expect(await t.value("[square.describe(), new Shape('x').describe(), square.label]")).toBe(
      '["one square of 3", "one x", "<square>"]',
    );
  });

  it("may be new, async, static, a generator, a getter beside its setter, and use `super` and types", async () => {
    await t.install(
      "shapes.ts",
      "async Square.later<T extends number>(by: T): Promise<number> { return this.side + by }",
    );
    await t.install("shapes.ts", "static Shape.unit(): Shape { return new this('unit') }");
    await t.install("shapes.ts", "*Shape.letters() { yield* this.name.slice(0, 2) }");
    await t.install("shapes.ts", "get Square.double() { return this.side * 2 }");
    await t.install("shapes.ts", "set Square.double(v: number) { (this as any).side = v / 2 }");
    await t.install("shapes.ts", "Square.prototype.toString() { return 'S' + super.toString() }");
    expect(
      await t.value(
        "square.double = 10; [await square.later(1), Shape.unit().name, [...square.letters()], square.double, String(square)]",
      ),
    ).toBe('[6, "unit", ["s", "q"], 10, "S[object Object]"]');
  });

  it("uses the private names of its class, also for instances of older definitions", async () => {
    await t.install("account.ts", "Account.deposit(cents: number) { this.#balance += cents * 10; return this }");
    expect(await t.value("account.deposit(1).balance")).toBe("15");
    await t.install(
      "account.ts",
      "export class Account { #balance = 0; constructor(readonly owner: string) {} get balance() { return this.#balance } }",
    );
    await t.install("account.ts", "Account.deposit(cents: number) { this.#balance += cents; return this }");
    expect(await t.value("[account.deposit(1).balance, new Account('n').deposit(2).balance]")).toBe("[16, 2]");
  });

  it("may have a computed name, with a dot before it or without", async () => {
    await t.install("shapes.ts", "Shape[Symbol.toPrimitive]() { return 7 }");
    const again = await t.installOne("shapes.ts", "Shape.[Symbol.toPrimitive]() { return 8 }");
    expect([again.name, again.preview, await t.value("+square")]).toEqual([
      "Shape.[Symbol.toPrimitive]",
      undefined,
      "8",
    ]);
  });

  it("is refused for a constructor, and for what has no methods", async () => {
    expect(await t.failure("shapes.ts", "Square.constructor(readonly side: number) { super('s') }")).toBe(
      "SyntaxError: Square.constructor: a constructor is fixed when its class is defined. Give the whole class instead.",
    );
    expect(await t.failure("shapes.ts", "Square.nothing.inside() { return 1 }")).toBe(
      "Error: Square.nothing is no class and no object: it has no methods.",
    );
  });

  it("is refused where it needs a private name that the class does not have", async () => {
    expect(await t.failure("account.ts", "Account.more() { return this.#more }")).toBe(
      "Error: Account declares no #more: private names are fixed when a class is defined. Give the whole class instead.",
    );
    expect(await t.failure("account.ts", "Account.#secret() { return 'x' }")).toContain("Give the whole class instead");
    expect(await t.failure("account.ts", "Nobody.more() { return 1 }")).toBe(
      "SyntaxError: Nobody is not declared in src/account.ts.",
    );
  });

  it("names who holds the old function, and points at its own lines when it throws", async () => {
    await t.value("const taken = Shape.prototype.describe;");
    const report = await t.installOne(
      "shapes.ts",
      "Shape.describe(): string {\n  throw new Error('in the method');\n}",
    );
    expect(held(report)).toEqual(["the REPL taken"]);
    const { error } = await t.evaluate("square.describe()");
    expect(error?.frames[0]).toMatchObject({ line: 1, code: "throw new Error('in the method');" });
  });

  it("may also be an assignment to the prototype, or a member of an object", async () => {
    await t.install(
      "shapes.ts",
      "Shape.prototype.describe = function (this: Shape) { return 'assigned ' + this.name }",
    );
    expect(await t.value("new Shape('a').describe()")).toBe('"assigned a"');
    await t.value("import { table } from './src/app.ts';");
    await t.install("app.ts", "table.size(): number { return this.handlers.length }");
    expect(await t.value("[(table as any).size(), Object.keys(table)]")).toBe('[1, ["handlers", "byName", "size"]]');
  });
});
