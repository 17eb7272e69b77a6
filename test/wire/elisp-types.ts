/** The wire's shapes as a list of keys, for `client-emacs/agentq-types.el`. */
import { wireTypes, type WireField, type WireType } from "./wire-types.ts";

const HEAD = `;;; agentq-types.el --- What agentq/* messages carry  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The shapes of the wire with their keys.  Made from docs/protocol.schema.json:
;; change server/src/protocol and run \`npx vitest run test/wire -u', not this file.
;; Only the macros of agentq-wire.el read it, while a file is compiled.

;;; Code:

(defconst agentq-types
  '(`;

const FOOT = `)
  "Alist from the names of shapes to their keys.
A key is a keyword, or a list of a keyword and the name of the shape that
its value, or each member of its value, has.")

(provide 'agentq-types)

;;; agentq-types.el ends here
`;

export function elispTypes(): string {
  const { classes } = wireTypes();
  const names = new Set(classes.map(({ name }) => name));
  const entries = classes
    .map(({ name, fields }) => [bare(name), ...fields.map((field) => key(field, names))].join(" "))
    .toSorted()
    .map((words) => filled(`(${words})`));
  return HEAD + entries.join("\n    ") + FOOT;
}

function key({ name, type }: WireField, names: ReadonlySet<string>): string {
  const shape = shapeOf(type);
  return shape === undefined || !names.has(shape) ? `:${name}` : `(:${name} ${bare(shape)})`;
}

function shapeOf(type: WireType): string | undefined {
  switch (type.kind) {
    case "class":
      return type.name;
    case "list":
    case "map":
      return shapeOf(type.of);
    case "union": {
      const [only, second] = type.members.flatMap((member) => shapeOf(member) ?? []);
      return second === undefined ? only : undefined;
    }
    default:
      return undefined;
  }
}

/** The shapes of LSP have the names that LSP gives them. */
function bare(name: string): string {
  return name.replace(/^lsp\./, "");
}

/** One entry, filled to 80 columns as Emacs indents a list of data. */
function filled(entry: string): string {
  const lines: string[] = [];
  let line = "    ";
  for (const word of entry.match(/\(:\S+ \S+\)+|\S+/g) ?? []) {
    if (line.trim() !== "" && line.length + 1 + word.length > 80) {
      lines.push(line);
      line = "     ";
    }
    line += line.trim() === "" ? word : ` ${word}`;
  }
  return [...lines, line].join("\n").trimStart();
}
