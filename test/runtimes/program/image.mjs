/** Returns the bytes of an image of realistic size that starts as a JPEG. They are the same at each call. */
export const imageBytes = () => Uint8Array.from({ length: 300_000 }, (_, i) => [0xff, 0xd8, 0xff][i] ?? (i * 7919) >> 3)
