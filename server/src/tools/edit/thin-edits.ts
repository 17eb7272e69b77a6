/** Edits under the names that programs know them by. Models are offered `propose_edits`, which does what all of these do. */
import type { SchemaType } from "../../schema/schema-type.ts";
import { ToolFailure, type Tool } from "../tool.ts";
import { defineEdit, type EditPorts } from "./define-edit.ts";
import type { Edit } from "../edit-schema.ts";
import { proposeEdits } from "./propose-edits.ts";

const path = { type: "string", minLength: 1, description: "File path relative to the workspace folder." } as const;
const content = { type: "string", description: "The whole text." } as const;
const description = { type: "string", description: "Why, in a sentence; the person reads it." } as const;

const REVIEWED = "The person reviews the change in the editor; the answer says what was applied.";

interface ThinForm<Properties, Required extends readonly string[]> {
  readonly name: string;
  readonly what: string;
  readonly properties: Properties;
  readonly required: Required;
  readonly edit: (args: SchemaType<{ type: "object"; properties: Properties; required: Required }>) => Edit;
}

export function createThinEdits(ports: EditPorts): Tool[] {
  return [
    thinForm(ports, {
      name: "write_file",
      what: "Write the whole text of a file, which is created when it does not exist.",
      properties: { path, content },
      required: ["path", "content"],
      edit: (args) => ({ op: "write", path: args.path, modified: args.content }),
    }),
    thinForm(ports, {
      name: "edit_file",
      what: "Replace a text that occurs exactly once in a file.",
      properties: {
        path,
        old: { type: "string", minLength: 1, description: "The exact text that stands there." },
        new: { type: "string", description: "The text in its place." },
      },
      required: ["path", "old", "new"],
      edit: (args) => ({ op: "replace", path: args.path, original: args.old, modified: args.new }),
    }),
    thinForm(ports, {
      name: "insert_at_line",
      what: "Insert whole lines before a line of a file; one more than there are lines inserts at its end.",
      properties: { path, line: { type: "integer", minimum: 1, description: "Counted from 1." }, content },
      required: ["path", "line", "content"],
      edit: (args) => ({ op: "insert_at_line", path: args.path, line: args.line, modified: args.content }),
    }),
    thinForm(ports, {
      name: "create_file",
      what: "Create a file. Refused when it exists.",
      properties: { path, content },
      required: ["path", "content"],
      edit: (args) => ({ op: "create", path: args.path, modified: args.content }),
    }),
    thinForm(ports, {
      name: "move_file",
      what: "Move or rename a file or a folder. The imports of what is moved follow.",
      properties: { path, to: { type: "string", minLength: 1, description: "The whole new path." } },
      required: ["path", "to"],
      edit: (args) => ({ op: "move", path: args.path, to: args.to }),
    }),
    thinForm(ports, {
      name: "delete_file",
      what: "Delete a file, or all files of a folder.",
      properties: { path },
      required: ["path"],
      edit: (args) => ({ op: "delete", path: args.path }),
    }),
    createWriteToBuffer(ports),
  ];
}

function thinForm<const Properties, const Required extends readonly string[]>(
  ports: EditPorts,
  { name, what, properties, required, edit }: ThinForm<Properties, Required>,
): Tool {
  return defineEdit(ports, {
    name,
    description: `${what} ${REVIEWED}`,
    isOffered: false,
    input: { type: "object", properties: { ...properties, description }, required, additionalProperties: false },
    run: (args, context) => {
      // The schema has the properties that `edit` takes, and one more.
      const edits = [edit(args as unknown as Parameters<typeof edit>[0])];
      return proposeEdits(ports, context, { edits, why: reasonOf(name, args), isNumbered: false });
    },
  });
}

function createWriteToBuffer(ports: EditPorts): Tool {
  return defineEdit(ports, {
    name: "write_to_buffer",
    description: `Write the whole text of a file that is open in the editor. ${REVIEWED}`,
    isOffered: false,
    input: {
      type: "object",
      properties: { path, content, description },
      required: ["path", "content"],
      additionalProperties: false,
    },
    run: async (args, context) => {
      const resolution = ports.resolvePath(args.path);
      if (!resolution.ok) throw new ToolFailure(resolution.reason);
      const document = await ports.readDocument(resolution.path.uri);
      if (document === undefined || document.version === null) {
        throw new ToolFailure(
          `${resolution.path.relative} is not open in the editor; propose_edits with the op write takes it all the same.`,
        );
      }
      const edits: Edit[] = [{ op: "write", path: args.path, modified: args.content }];
      return proposeEdits(ports, context, { edits, why: reasonOf("write_to_buffer", args), isNumbered: false });
    },
  });
}

function reasonOf(name: string, args: { readonly description?: unknown }): string {
  const { description: given } = args;
  return typeof given === "string" && given !== "" ? given : `Asked for with ${name}, without a reason.`;
}
