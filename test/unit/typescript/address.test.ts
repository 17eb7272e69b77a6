import { describe, expect, it } from "vitest";
import { formatAddress, parseAddress } from "../../../server/src/typescript/address.ts";

describe("an address", () => {
  it.each([
    ["add", { module: undefined, path: "add", overload: undefined }],
    ["Outer.member", { module: undefined, path: "Outer.member", overload: undefined }],
    ["Outer.prototype.member()", { module: undefined, path: "Outer.member", overload: undefined }],
    ["src/a.ts#Outer.member", { module: "src/a.ts", path: "Outer.member", overload: undefined }],
    ["@scope/pkg#Export", { module: "@scope/pkg", path: "Export", overload: undefined }],
    ["add#2", { module: undefined, path: "add", overload: 2 }],
    ["src/a.ts#add#2", { module: "src/a.ts", path: "add", overload: 2 }],
    ["Counter.#count", { module: undefined, path: "Counter.#count", overload: undefined }],
    ["src/a.ts#Counter.#count", { module: "src/a.ts", path: "Counter.#count", overload: undefined }],
    ["src/a.ts", { module: "src/a.ts", path: "", overload: undefined }],
  ])("%s is read into its parts", (text, parts) => {
    expect(parseAddress(text)).toEqual(parts);
  });

  it.each(["src/a.ts#Outer.member", "src/a.ts#add#2", "pkg#Export", "src/a.ts#Counter.#count"])(
    "%s is written as it was read",
    (text) => {
      const { module = "", path, overload } = parseAddress(text);
      expect(formatAddress(module, path, overload)).toBe(text);
    },
  );
});
