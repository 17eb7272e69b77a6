import { call, reply, scriptOf } from "../../examples/demo/model/script.ts";

/** Renames a function in the one file that has it: two hunks that break the file unless both go in. */
export const renameHelper = scriptOf("rename-helper", "propose a rename in one file", [
  reply(call("rename_symbol", { symbol: "src/allocate.ts#totalWeight", new_name: "sumOfWeights" })),
  reply("Understood."),
]);
