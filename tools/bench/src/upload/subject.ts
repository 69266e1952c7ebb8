/** Something that can upload a file as a form. Each module in `subjects/` has one as `connect`. */
export interface UploadSubject {
  /** Gives what uploads the file at a path and answers with the decoded body. */
  connect(target: UploadTarget): Promise<Upload> | Upload
}

export type Upload = (file: string) => Promise<unknown>

/** Where a subject uploads to. */
export interface UploadTarget {
  readonly baseUrl: string
  readonly apiKey: string
  /** Where the built stock client is. */
  readonly stockModule: string
}
