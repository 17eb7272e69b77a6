import { expect, it } from "vitest";
import { plain } from "../../../server/src/terminal/screen.ts";

it("shows nothing that drives the terminal, hides, or turns the order of a text", () => {
  expect(plain("a\u001b[2Jb\u0007c\u202Egpj\u200B\u2066\uFEFF\n\tgrüße 👩\u200D💻")).toBe(
    "ab�c�gpj���\n  grüße 👩\u200D💻",
  );
});
