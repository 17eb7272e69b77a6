/** Links in answers: places in files open in the editor, pages of the web in the browser, and nothing else. */
import * as vscode from "vscode";

const PLACE = /^(?<path>.*?)(?:(?::|#L)(?<first>\d+)(?:[:-]L?(?<last>\d+))?.*)?$/;

export async function openLink(link: string): Promise<void> {
  if (/^https?:\/\//i.test(link)) return void (await vscode.env.openExternal(vscode.Uri.parse(link)));
  const { path = "", first } = PLACE.exec(decoded(link))?.groups ?? {};
  const uri = await fileAt(path.replace(/^file:\/\//, ""));
  if (uri === undefined) return void vscode.window.setStatusBarMessage(`There is no file ${path}.`, 4000);
  const line = Math.max(0, Number(first ?? 1) - 1);
  await vscode.window.showTextDocument(uri, { selection: new vscode.Range(line, 0, line, 0) });
}

/** A file of the folders that are open: what a model names elsewhere is not opened. */
async function fileAt(path: string): Promise<vscode.Uri | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const places = path.startsWith("/")
    ? [vscode.Uri.file(path)]
    : folders.map(({ uri }) => vscode.Uri.joinPath(uri, path));
  for (const place of places) {
    if (vscode.workspace.getWorkspaceFolder(place) === undefined) continue;
    const found = await vscode.workspace.fs.stat(place).then(
      ({ type }) => type,
      () => undefined,
    );
    if (found !== undefined && (found & vscode.FileType.File) !== 0) return place;
  }
  return undefined;
}

function decoded(link: string): string {
  try {
    return decodeURI(link);
  } catch {
    return link;
  }
}
