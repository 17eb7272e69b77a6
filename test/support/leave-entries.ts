/** A model whose command leaves a mode, a link and bytes, and one line of text. */
import { call, reply, scriptOf } from "../../examples/demo/model/script.ts";

const command =
  "chmod 755 src/tax.ts; ln -s src/tax.ts taxes; printf '\\0\\1\\2' > logo.bin; " +
  "printf '#!/bin/sh\\necho go\\n' > go.sh; chmod 755 go.sh; echo '// end' >> src/money.ts";

export const leaveEntries = scriptOf("leave-entries", "run a command that leaves more than text", [
  reply(call("run_command", { command })),
  reply("Done."),
]);
