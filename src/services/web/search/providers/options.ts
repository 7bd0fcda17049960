/** What every vendor's adapter is made with. */
export interface VendorOptions {
  /** In place of the vendor's own address, for tests and for mirrors. */
  readonly baseUrl?: string | undefined;
  readonly userAgent: string;
  readonly timeoutMs: number;
}

/** For vendors that ask for a key. */
export interface KeyedVendorOptions extends VendorOptions {
  readonly key: string;
}
