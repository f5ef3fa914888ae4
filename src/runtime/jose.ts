// The part of jose that is used: the CommonJS build contains jose, and leaves out the rest.
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
