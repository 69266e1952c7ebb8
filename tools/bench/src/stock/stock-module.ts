/** What the bench uses of the generated stock client. */
export interface StockModule {
  createClient(options: { readonly baseUrl: string; readonly auth: string }): StockInstance
  getJob(
    options: StockCall & { readonly path: { readonly job_id: string } },
  ): Promise<{ readonly data: unknown }>
  processDocument(
    options: StockCall & { readonly body: { readonly file: Blob }; readonly requestValidator?: undefined },
  ): Promise<{ readonly data: unknown }>
}

/** Something to hand back to the calls; the bench does not look into it. */
export interface StockInstance {
  readonly getConfig: () => unknown
}

interface StockCall {
  readonly client: StockInstance
  readonly throwOnError: true
}

/** Loads the stock client that {@link import('./stock-client.ts').stockClient} built. */
export async function loadStock(module: string): Promise<StockModule> {
  return (await import(module)) as StockModule
}
