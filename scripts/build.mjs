// `npm run build`: prepares the checkout and bundles server/src into dist/, unless dist/ was built from the sources as
// they are.
import { bootstrap } from "./bootstrap.mjs";
import { errorText } from "./error-text.mjs";

try {
  bootstrap();
} catch (error) {
  process.stderr.write(`${errorText(error)}\n`);
  process.exitCode = 1;
}
