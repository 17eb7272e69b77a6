// `npm run build`: bundles server/src into dist/, unless dist/ was built from the sources as they are.
import { prepareServer } from "./bootstrap.mjs";

try {
  prepareServer(process.execPath);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
