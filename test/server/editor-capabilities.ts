/** What a capable editor announces: everything that makes the compiler answer in its richest shapes. */

const dynamic = { dynamicRegistration: true } as const;

export const richCapabilities = {
  general: { positionEncodings: ["utf-8", "utf-16"] },
  window: { workDoneProgress: true, showMessage: {}, showDocument: { support: true } },
  workspace: {
    applyEdit: true,
    configuration: true,
    workspaceFolders: true,
    didChangeConfiguration: dynamic,
    didChangeWatchedFiles: { ...dynamic, relativePatternSupport: true },
    workspaceEdit: { documentChanges: true, resourceOperations: ["create", "rename", "delete"] },
    diagnostics: { refreshSupport: true },
    semanticTokens: { refreshSupport: true },
    inlayHint: { refreshSupport: true },
    codeLens: { refreshSupport: true },
    fileOperations: { willRename: true, didRename: true },
  },
  textDocument: {
    synchronization: { didSave: true },
    completion: {
      contextSupport: true,
      completionItem: {
        snippetSupport: true,
        commitCharactersSupport: true,
        documentationFormat: ["markdown"],
        insertReplaceSupport: true,
        labelDetailsSupport: true,
        resolveSupport: { properties: ["documentation", "detail", "additionalTextEdits"] },
      },
      completionList: { itemDefaults: ["commitCharacters", "editRange", "data"] },
    },
    hover: { contentFormat: ["markdown", "plaintext"] },
    signatureHelp: {
      contextSupport: true,
      signatureInformation: {
        documentationFormat: ["markdown"],
        activeParameterSupport: true,
        parameterInformation: { labelOffsetSupport: true },
      },
    },
    definition: { linkSupport: true },
    typeDefinition: { linkSupport: true },
    implementation: { linkSupport: true },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    codeAction: {
      codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix", "refactor", "source"] } },
      dataSupport: true,
      resolveSupport: { properties: ["edit"] },
    },
    rename: { prepareSupport: true },
    diagnostic: { relatedDocumentSupport: true },
    publishDiagnostics: { relatedInformation: true },
    foldingRange: { lineFoldingOnly: false },
    semanticTokens: {
      requests: { range: true, full: { delta: true } },
      tokenTypes: ["namespace", "type", "class", "enum", "interface", "parameter", "variable", "property", "function"],
      tokenModifiers: ["declaration", "readonly", "static", "async"],
      formats: ["relative"],
    },
  },
} as const;

/** Settings that turn on what is off by default. */
export const richSettings: Readonly<Record<string, unknown>> = {
  typescript: {
    inlayHints: { parameterNames: { enabled: "all" }, variableTypes: { enabled: true } },
    referencesCodeLens: { enabled: true, showOnAllFunctions: true },
  },
};
