/** Markdown as elements: only the blocks that changed are drawn again, so that what is selected above stays selected. */
import MarkdownIt, { type RendererRule, type Token } from "markdown-it";

const PATH = String.raw`(?:[\w.@()[\]-]*\/)*[\w.@()[\]-]+`;
/** `src/cart.ts`, `src/cart.ts:12`, `src/cart.ts:12-20`: of other names with a dot most are no files. */
const KNOWN = "[cm]?[jt]sx?|json|md|css|html|ya?ml|toml|lua|el|py|sh|txt|svg|sql|vue";
const FILE = new RegExp(String.raw`^${PATH}(?:\.(?:${KNOWN})|\.\w+:\d+)(?::\d+)?(?:[:-]\d+)?$`, "i");
const PLACE_IN_TEXT = /(?<![\w/.:@-])(?:[\w@.-]+\/)*[\w@.-]+\.[a-z][a-z0-9]{0,4}:\d+(?:[:-]\d+)?/gi;

const markdown = new MarkdownIt({ html: false, linkify: true }).disable("image");

const escape = markdown.utils.escapeHtml;
// Names such as `cart.ts` are no pages of the web.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });

/** No `href`: the extension opens what is named, and the title says what that is. */
function link(to: string, inner: string): string {
  return `<a role="link" tabindex="0" data-link="${escape(to)}" title="${escape(to)}">${inner}</a>`;
}

const own: Readonly<Record<string, RendererRule>> = {
  link_open: (tokens, index) => link(String(tokens[index]?.attrGet("href") ?? ""), "").slice(0, -"</a>".length),
  code_inline: (tokens, index) => {
    const content = tokens[index]?.content ?? "";
    const code = `<code>${escape(content)}</code>`;
    return FILE.test(content) && !isLinked(tokens, index) ? link(content, code) : code;
  },
  text: (tokens, index) => {
    const text = escape(tokens[index]?.content ?? "");
    return isLinked(tokens, index) ? text : text.replaceAll(PLACE_IN_TEXT, (place) => link(place, place));
  },
  fence: (tokens, index) => codeBlock(tokens[index]?.content ?? "", tokens[index]?.info ?? ""),
  code_block: (tokens, index) => codeBlock(tokens[index]?.content ?? "", ""),
  th_open: (tokens, index) => cell("th", tokens[index]),
  td_open: (tokens, index) => cell("td", tokens[index]),
  table_open: () => `<div class="table"><table>`,
  table_close: () => `</table></div>`,
};
Object.assign(markdown.renderer.rules, own);

/** The page's policy allows no style in an attribute. */
function cell(tag: string, token: Token | undefined): string {
  const side = /right|center/.exec(String(token?.attrGet("style") ?? ""))?.[0];
  return side === undefined ? `<${tag}>` : `<${tag} class="${side}">`;
}

function codeBlock(code: string, info: string): string {
  const language = escape(info.split(/\s/, 1)[0] ?? "");
  return `<div class="code"><div class="bar"><span>${language}</span><button type="button" data-copy>Copy</button></div><pre tabindex="0"><code>${escape(code)}</code></pre></div>`;
}

function isLinked(tokens: readonly { readonly type: string }[], index: number): boolean {
  return tokens[index - 1]?.type === "link_open";
}

/** What was drawn of an element: the texts of its blocks. */
const drawn = new WeakMap<Element, readonly string[]>();

export function draw(into: Element, text: string): void {
  const blocks = blocksOf(text);
  const before = drawn.get(into) ?? [];
  for (const [index, html] of blocks.entries()) {
    if (html === before[index]) continue;
    const block = document.createElement("div");
    block.innerHTML = html;
    const old = into.children[index];
    if (old === undefined) into.append(block);
    else old.replaceWith(block);
  }
  while (into.children.length > blocks.length) into.lastElementChild?.remove();
  drawn.set(into, blocks);
}

function blocksOf(text: string): string[] {
  const env = {};
  const tokens = markdown.parse(text, env);
  const blocks: string[] = [];
  let first = 0;
  for (const [index, token] of tokens.entries()) {
    const isLast = token.level === 0 && token.nesting <= 0;
    if (!isLast) continue;
    blocks.push(markdown.renderer.render(tokens.slice(first, index + 1), markdown.options, env));
    first = index + 1;
  }
  return blocks;
}
