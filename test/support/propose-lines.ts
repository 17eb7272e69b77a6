/** A model that changes three neighbouring lines and adds three others in one file. */
import { call, reply, scriptOf } from "../../examples/demo/model/script.ts";

export const linesFile = "src/sizes.ts";
export const linesBefore = "// sizes\nexport const a = 1;\nexport const b = 2;\nexport const c = 3;\n// end\n";
export const linesAfter =
  "// sizes\nexport const a = 10;\nexport const b = 20;\nexport const c = 30;\n// end\nexport const d = 4;\n" +
  "export const e = 5;\nexport const f = 6;\n";

export const proposeLines = scriptOf("propose-lines", "change several lines at once", [
  reply(
    call("propose_edits", {
      description: "Ten times the size.",
      edits: [
        {
          op: "replace",
          path: linesFile,
          original: "a = 1;\nexport const b = 2;\nexport const c = 3;",
          modified: "a = 10;\nexport const b = 20;\nexport const c = 30;",
        },
        {
          op: "insert_at_end",
          path: linesFile,
          modified: "export const d = 4;\nexport const e = 5;\nexport const f = 6;\n",
        },
      ],
    }),
  ),
  reply("Understood."),
]);
