// The part of jose that is used. ES modules import jose itself (`#jose`), and CommonJS a file that contains this part.
export {
  base64url,
  calculateJwkThumbprint,
  compactVerify,
  exportJWK,
  FlattenedEncrypt,
  flattenedDecrypt,
  generateKeyPair,
  importJWK,
  SignJWT,
} from 'jose'
