/** The bytes of an image as large as a real one, with the beginning of a JPEG: both sides make the same. */
export const imageBytes = () =>
  Uint8Array.from({ length: 300_000 }, (_, i) => [0xff, 0xd8, 0xff][i] ?? (i * 7919) >> 3)
