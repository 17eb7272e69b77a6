/** The conversations whose results are counted: the kinds of tasks that an agent is given, as the calls it makes. */

export type Call = readonly [tool: string, args: Readonly<Record<string, unknown>>];

export interface Task {
  readonly title: string;
  readonly project: "invoices" | "ajv" | "winston" | "broken";
  readonly calls: readonly Call[];
  /** The texts that the results must hold between them: what is left out for brevity's sake must not be these. */
  readonly facts: readonly string[];
}

export const tasks: readonly Task[] = [
  {
    title: "explain how a schema is compiled and cached",
    project: "ajv",
    calls: [
      ["list_package_symbols", { path: "lib/core.ts" }],
      ["describe_symbol", { symbol: "lib/core.ts#default" }],
      ["describe_symbol", { symbol: "compileSchema" }],
      ["who_calls", { symbol: "compileSchema" }],
      ["who_references", { symbol: "SchemaEnv" }],
      ["who_references", { symbol: "lib/core.ts#default._cache" }],
      ["document_outline", { path: "lib/compile/resolve.ts" }],
      ["read_file", { path: "lib/compile/resolve.ts", start: 1, end: 60 }],
    ],
    facts: ["lib/compile/index.ts", "resolveRef", "_addSchema", "getFullPath"],
  },
  {
    title: "what classes there are, and what they inherit",
    project: "ajv",
    calls: [
      ["class_slots", { symbol: "ValidationError" }],
      ["class_slots", { symbol: "lib/ajv.ts#Ajv" }],
      ["class_hierarchy", { symbol: "lib/core.ts#default" }],
      ["class_hierarchy", { symbol: "ValidationError" }],
      ["find_implementations", { symbol: "CodeKeywordDefinition" }],
      ["method_specializers", { symbol: "lib/ajv.ts#Ajv._addVocabularies" }],
      ["class_slots", { symbol: "KeywordCxt" }],
      ["macroexpand_form", { form: "CodeKeywordDefinition", as: "type" }],
    ],
    facts: ["errors", "validation", "Ajv2019", "_addVocabularies", "subschema"],
  },
  {
    title: "names that mean many things, or nothing",
    project: "ajv",
    calls: [
      ["describe_symbol", { symbol: "def" }],
      ["describe_symbol", { symbol: "error" }],
      ["who_calls", { symbol: "compileShema" }],
      ["describe_symbol", { symbol: "lib/compile/index.ts:120" }],
      ["apropos_search", { pattern: "validate" }],
      ["apropos_search", { pattern: "ref", kinds: ["function"] }],
      ["who_calls", { symbol: "code" }],
      ["get_diagnostics", {}],
    ],
    facts: ["lib/vocabularies", "compileSchema", "validateFunctionCode"],
  },
  {
    title: "rename a function in many files",
    project: "ajv",
    calls: [
      ["who_references", { symbol: "alwaysValidSchema" }],
      ["rename_symbol", { symbol: "alwaysValidSchema", new_name: "isAlwaysValid" }],
      ["get_diagnostics", { since: "turn" }],
      ["who_calls", { symbol: "isAlwaysValid" }],
    ],
    facts: ["APPLIED: all", "isAlwaysValid", "lib/compile/util.ts"],
  },
  {
    title: "find and fix a bug, with the running program",
    project: "invoices",
    calls: [
      ["apropos_search", { pattern: "allocate" }],
      ["read_file", { path: "src/allocate.ts" }],
      [
        "eval_form",
        {
          form: "import { allocate } from './src/allocate.ts'; import { money } from './src/money.ts'; allocate(money(1000), [1, 1, 1])",
        },
      ],
      ["trace_function", { symbol: "src/allocate.ts#allocate" }],
      ["eval_form", { form: "allocate(money(-1000), [1, 1, 1]).map(String)" }],
      [
        "compile_form",
        { form: "export function isTaxClass(text: string): boolean { return text === 'x'; }", path: "src/tax.ts" },
      ],
      ["run_tests", { path: "test/money.test.ts" }],
      [
        "propose_edits",
        {
          edits: [
            {
              op: "replace",
              path: "src/tax.ts",
              original: "return Object.hasOwn(TAX_RATES, text);",
              modified: "return text in TAX_RATES;",
            },
          ],
          description: "in",
        },
      ],
      ["get_diagnostics", { since: "turn" }],
      ["run_tests", {}],
    ],
    facts: ["-3.33 EUR", "traced", "APPLIED", "passed"],
  },
  {
    title: "look into values",
    project: "invoices",
    calls: [
      ["eval_form", { form: "Array.from({ length: 300 }, (_, index) => index * index)" }],
      ["inspect_object", { value: "$1" }],
      ["inspect_object", { value: "$1", page: 2 }],
      ["eval_form", { form: "import fs from 'node:fs'; fs.readFileSync('src/money.ts', 'utf8')" }],
      ["inspect_object", { value: "$2" }],
      ["eval_form", { form: "Array.from({ length: 60 }, (_, index) => `name of number ${index}`)" }],
      ["inspect_object", { value: "$3" }],
      [
        "eval_form",
        { form: "throw new Error('the first line\\n  \"expected\"\\n  \"received\"\\n' + 'x'.repeat(3000))" },
      ],
      ["get_last_error", {}],
      [
        "eval_form",
        { form: "({ text: 'one \"line\"\\nand another', list: new Map([[1, { a: 1 }]]), when: new Date(0) })" },
      ],
      ["get_repl_history", {}],
    ],
    facts: ["6241", "name of number 39", "expected", "An exact amount"],
  },
  {
    title: "a refactoring of which the person takes a part",
    project: "invoices",
    calls: [
      ["class_hierarchy", { symbol: "Discount" }],
      ["who_references", { symbol: "Discount.label" }],
      [
        "propose_edits",
        {
          edits: [
            { op: "replace_all", path: "src/discount.ts", original: "label", modified: "title" },
            { op: "insert_at_end", path: "src/tax.ts", modified: "\nexport const NO_TAX = 0;\n" },
            { op: "create", path: "src/note.ts", modified: "export const note = 1;\n" },
          ],
          description: "label is title",
        },
      ],
      ["get_diagnostics", { since: "turn" }],
      ["get_diagnostics", { path: "src/discount.ts" }],
      ["read_file", { path: "src/discount.ts", start: 1, end: 30 }],
    ],
    facts: ["PARTIALLY APPLIED", "PercentOff", "rejected"],
  },
  {
    title: "a project whose configuration has problems",
    project: "broken",
    calls: [
      ["list_package_symbols", { path: "src/a.ts" }],
      ["describe_symbol", { symbol: "areaOf" }],
      ["who_calls", { symbol: "areaOf" }],
      ["who_references", { symbol: "areaOf" }],
      ["describe_symbol", { symbol: "nothingLikeThat" }],
      ["who_calls", { symbol: "Shape.sides" }],
      ["class_slots", { symbol: "Shape" }],
      ["document_outline", { path: "src/b.ts" }],
      ["get_diagnostics", { path: "src/a.ts" }],
      ["apropos_search", { pattern: "zzz" }],
    ],
    facts: ["moduleResolution", "src/b.ts", "Shape"],
  },
  {
    title: "a library in plain JavaScript",
    project: "winston",
    calls: [
      ["list_package_symbols", { path: "lib/winston/logger.js" }],
      ["class_slots", { symbol: "lib/winston/logger.js#Logger" }],
      ["class_hierarchy", { symbol: "lib/winston/logger.js#Logger" }],
      ["who_calls", { symbol: "lib/winston/create-logger.js#createLogger" }],
      ["document_outline", { path: "lib/winston/logger.js" }],
      ["who_calls", { symbol: "lib/winston/logger.js#Logger.log" }],
      ["describe_symbol", { symbol: "lib/winston/logger.js#Logger.child" }],
      ["get_diagnostics", {}],
    ],
    facts: ["Logger", "createLogger", "configure"],
  },
];
