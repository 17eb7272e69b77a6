/** Builds dist/ before the tests: the server, the editors and the demo run what users run. */
import { prepareServer } from "../../scripts/bootstrap.mjs";

export function setup(): void {
  prepareServer(process.execPath);
}
