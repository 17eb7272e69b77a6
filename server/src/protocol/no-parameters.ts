/** Parameters of a request that takes none. */
export const nothing = { type: "object", properties: {}, additionalProperties: false } as const;
