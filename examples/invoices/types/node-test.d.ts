/** The few names of Node's own test modules that the tests use, so that the project type-checks with nothing installed. */
declare module "node:test" {
  export function test(name: string, body: () => void | Promise<void>): void;
}

declare module "node:assert/strict" {
  interface Assert {
    equal<Value>(actual: Value, expected: Value, message?: string): void;
    deepEqual<Value>(actual: Value, expected: Value, message?: string): void;
    ok(value: unknown, message?: string): asserts value;
    throws(body: () => unknown, expected: RegExp): void;
  }
  const assert: Assert;
  export default assert;
}
