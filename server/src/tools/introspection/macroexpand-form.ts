/** The tool `macroexpand_form`: what a type expands to, and what code becomes at run time. Nothing is executed. */
import { TARGETS } from "../../typescript/expand/targets.ts";
import type { TypeScriptService } from "../../typescript/typescript-service.ts";
import { defineTool, type Tool } from "../tool.ts";
import { pageSchema } from "../answers/answer-text.ts";

const input = {
  type: "object",
  properties: {
    form: {
      type: "string",
      minLength: 1,
      maxLength: 20_000,
      description:
        "A type (Partial<User>, src/a.ts#Config, keyof Pick<…>), code (enum, decorators, JSX, using, …), or the address of either.",
    },
    full: {
      type: "boolean",
      description: "Types: all levels in place of one step. Code: helpers written out. Default false.",
    },
    target: { enum: TARGETS, description: "What code is lowered to. Default: the tsconfig's target." },
    path: { type: "string", description: "The module file the form is read in; for code also a tsconfig." },
    as: { enum: ["type", "code"], description: "Read the form as this. Default: a type when it parses as one." },
    decorators: { enum: ["standard", "experimental"], description: "Default: what the tsconfig says." },
    jsx: { enum: ["preserve", "react", "react-jsx", "react-jsxdev"], description: "Default: what the tsconfig says." },
    ...pageSchema,
  },
  required: ["form"],
  additionalProperties: false,
} as const;

export function createMacroexpandForm(service: TypeScriptService): Tool {
  return defineTool({
    name: "macroexpand_form",
    description:
      "What a type stands for (Partial<User>, src/a.ts#Config; full: every level), or what code (enum, JSX, using, …) becomes at run time.",
    input,
    isOffered: false,
    safety: "safe",
    categories: ["introspection"],
    run: async (args, context) => {
      const { expandForm } = await import("./expand-form.ts");
      return expandForm(service, args, context.signal);
    },
  });
}
