/** The page of a list to return. */
export interface PageQuery {
  readonly page: number;
  readonly limit: number;
}

/** One page of a list in memory. */
export function pageOf<Item>(items: readonly Item[], { page, limit }: PageQuery) {
  const total = items.length;
  const pagination = { page, limit, total, pages: Math.ceil(total / limit) };
  return {
    success: true as const,
    data: { items: items.slice((page - 1) * limit, page * limit), pagination },
  };
}
