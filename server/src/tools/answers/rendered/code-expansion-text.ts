/** Words what code becomes. */
import type { CodeFeature } from "../../../typescript/expand/code-features.ts";
import { loweringTargetOf, type CodeExpansion } from "../../../typescript/expand/expand-code.ts";
import { configuredTarget } from "../../../typescript/expand/lowering-options.ts";
import type { CodePlan } from "../../../typescript/expand/expansion-plan.ts";
import type { ToolAnswer } from "../../tool.ts";
import { pageFields, pageLine, pageOf } from "../answer-text.ts";
import type { ExpansionPaging } from "./type-expansion-text.ts";

/** What the transformer's helpers do, and what TypeScript's own compiler calls them. */
const HELPERS: Readonly<Record<string, string>> = {
  _ts_decorate: "applies experimental decorators; tsc: __decorate",
  _ts_param: "a parameter's decorator; tsc: __param",
  _ts_metadata: "types for reflect-metadata; tsc: __metadata",
  _apply_decs_2203_r: "applies standard decorators; tsc: __esDecorate",
  _ts_add_disposable_resource: "notes what to dispose; tsc: __addDisposableResource",
  _ts_dispose_resources: "disposes in reverse order; tsc: __disposeResources",
  _async_to_generator: "runs a generator as an async function; tsc: __awaiter",
  _ts_generator: "a generator as a state machine; tsc: __generator",
  _async_iterator: "the async iterator of a value; tsc: __asyncValues",
  _wrap_async_generator: "an async generator; tsc: __asyncGenerator",
  _await_async_generator: "await inside an async generator; tsc: __await",
  _define_property: "defines a class field",
  _class_private_field_get: "reads a private field; tsc: __classPrivateFieldGet",
  _class_private_field_set: "writes a private field; tsc: __classPrivateFieldSet",
  _class_private_field_init: "creates a private field",
  _class_private_method_get: "reads a private method; tsc: __classPrivateFieldGet",
  _object_spread: "object spread; tsc: __assign",
  _object_spread_props: "object spread with properties after it; tsc: __assign",
  _object_without_properties: "object rest; tsc: __rest",
  _extends: "class inheritance or Object.assign; tsc: __extends",
  _inherits: "class inheritance; tsc: __extends",
  _call_super: "super() in a constructor",
  _class_call_check: "refuses a class that is called without new",
  _create_class: "puts methods on the prototype",
  _sliced_to_array: "array destructuring; tsc: __read",
  _to_consumable_array: "array spread; tsc: __spreadArray",
  _tagged_template_literal: "the strings of a tagged template; tsc: __makeTemplateObject",
};

export function codeText(plan: CodePlan, expansion: CodeExpansion, paging: ExpansionPaging): ToolAnswer {
  const { result, lowered } = expansion;
  const lines = result.code === "" ? [] : result.code.split("\n");
  const page = pageOf(lines, paging);
  const code = result.code === "" ? ["(nothing: it is gone at run time)"] : page.lines;
  const rest = [...pageLine(page, lines.length, "lines"), ...helperLines(expansion), ...remarks(expansion)];
  const changed = lowered.length === 0 ? unchanged(expansion) : [];
  const content = [headline(plan, expansion), ...changed, "", ...code, ...(rest.length > 0 ? ["", ...rest] : [])];
  return { content: content.join("\n"), ...pageFields(page) };
}

function headline({ why, config, options: configured }: CodePlan, expansion: CodeExpansion): string {
  const { lowered, options, result, unchangedAt, hasTypes } = expansion;
  const own = configuredTarget(configured);
  const names = new Set(lowered.map(({ name }) => name));
  const parts = [...names].map((name) => {
    if (name === "decorators") return `${options.decorators} decorators`;
    return name === "JSX" ? `JSX as ${options.jsx}` : name;
  });
  const what = parts.length === 0 ? "" : `: ${parts.join(", ")}`;
  const source = options.target === own ? config : `${config} has ${own}`;
  const target =
    unchangedAt === undefined
      ? `lowered to ${options.target} (${source})`
      : `${hasTypes ? "only types go" : "nothing changes"} at ${unchangedAt} (${config}); lowered to ${options.target} instead`;
  return `Code, because ${why}; ${target} by ${result.transformer}${what}`;
}

/** The lines when nothing is lowered at the target that was asked for, or at any target. */
function unchanged({ features, options, hasTypes }: CodeExpansion): string[] {
  const target = loweringTargetOf(features);
  const names = features.filter(({ since }) => since !== undefined).map(nameOf);
  if (target === undefined) return [`No target lowers anything in it${hasTypes ? "; its types are taken away" : ""}.`];
  return [`Nothing is lowered at ${options.target}; target ${target} or older would lower: ${names.join(", ")}.`];
}

function helperLines({ result }: CodeExpansion): string[] {
  if (result.helpers.length === 0) return [];
  const told = result.helpers.map((name) => {
    const meaning = HELPERS[name];
    return meaning === undefined ? name : `${name} (${meaning})`;
  });
  return [`Helpers, written out with full: true: ${told.join(", ")}`];
}

/** Where the transformer and TypeScript's own compiler differ. */
function remarks({ features, options, leavesDecorator }: CodeExpansion): string[] {
  const names = new Set(features.map(nameOf));
  const lines: string[] = [];
  if (names.has("decorators") && options.decorators === "standard" && options.target === "esnext")
    lines.push("tsc leaves standard decorators as they are at esnext; swc lowers them at every target.");
  if (names.has("const enum")) {
    lines.push(
      options.isolated
        ? "The tsconfig compiles files by themselves, so the const enum stays an object."
        : "Under this tsconfig tsc leaves nothing of a const enum and writes its values where it is used; swc keeps the object.",
    );
  }
  if (leavesDecorator) lines.push("A decorator is left in the result: there are no standard decorators on parameters.");
  if (names.has("JSX") && options.jsx === "preserve")
    lines.push('The tsconfig keeps JSX; jsx: "react-jsx" or "react" shows the calls.');
  return lines;
}

function nameOf({ name }: CodeFeature): string {
  return name;
}
