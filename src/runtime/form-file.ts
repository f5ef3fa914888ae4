/** A file of a multipart form, without its content. */
export interface FormFile {
  readonly field: string
  readonly filename: string
  readonly contentType: string
}
