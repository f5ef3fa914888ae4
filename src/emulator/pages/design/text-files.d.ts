/** The content of the file. The build and the tests load it as text. */
declare module '*.css' {
  const text: string
  export default text
}

/** The content of the file. The build and the tests load it as text. */
declare module '*.svg' {
  const text: string
  export default text
}
