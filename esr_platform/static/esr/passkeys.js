// Passkeys (WebAuthn): the button of a form asks the device for a passkey before the form is submitted. The server
// provides the options and verifies the result. Without this script, the other ways to sign in still work.

import { findAll } from "./elements.js";
import { say } from "./words.js";

/** @type {(text: string) => Uint8Array} bytes of base64url text */
const bytes = (text) => {
  const plain = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
  return Uint8Array.from(plain, (char) => char.charCodeAt(0));
};

/** @type {(buffer: ArrayBuffer|null|undefined) => string|undefined} */
const text = (buffer) => {
  if (!buffer) return undefined;
  const plain = String.fromCharCode(...new Uint8Array(buffer));
  return btoa(plain).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
};

const listed = (keys) => (keys ?? []).map((key) => ({ ...key, id: bytes(key.id) }));

/**
 * Let the device create a discoverable passkey that verifies its user.
 * @param {{publicKey: Object}} options from the server, with bytes as base64url
 */
function made({ publicKey }) {
  const wanted = { ...publicKey.authenticatorSelection, residentKey: "required", requireResidentKey: true };
  return navigator.credentials.create({
    publicKey: {
      ...publicKey,
      challenge: bytes(publicKey.challenge),
      user: { ...publicKey.user, id: bytes(publicKey.user.id) },
      excludeCredentials: listed(publicKey.excludeCredentials),
      authenticatorSelection: { ...wanted, userVerification: "required" },
    },
  });
}

/** Let the device sign with an existing passkey. */
function used({ publicKey }) {
  const allowed = publicKey.allowCredentials ? { allowCredentials: listed(publicKey.allowCredentials) } : {};
  return navigator.credentials.get({ publicKey: { ...publicKey, challenge: bytes(publicKey.challenge), ...allowed } });
}

/** The credential from the device as JSON values. */
function written(credential) {
  const { response } = credential;
  const names = ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"];
  const parts = names.map((name) => [name, text(response[name])]).filter(([, value]) => value !== undefined);
  return {
    id: credential.id,
    rawId: text(credential.rawId),
    type: credential.type,
    authenticatorAttachment: credential.authenticatorAttachment ?? undefined,
    response: { ...Object.fromEntries(parts), transports: response.getTransports?.() },
    clientExtensionResults: credential.getClientExtensionResults(),
  };
}

/** The options: from the page, or from the server for sign-in. */
async function options(form) {
  const inPage = form.dataset.options && document.getElementById(form.dataset.options);
  if (inPage) return JSON.parse(inPage.textContent);
  const headers = { Accept: "application/json", "X-Requested-With": "XMLHttpRequest" };
  const answer = await fetch(form.action, { headers });
  if (!answer.ok) throw new Error(say("The site does not respond. Try again in a minute."));
  return (await answer.json()).request_options;
}

/** The message for an error. */
function reason(error) {
  if (error.name === "InvalidStateError") return say("This device already has a passkey for your account.");
  if (error.name === "NotAllowedError") return say("The passkey request was canceled or timed out. Try again.");
  if (error.name === "SecurityError") return say("Passkeys need HTTPS and the correct host name of this site.");
  return error.message;
}

async function ask(form) {
  const said = form.querySelector("[data-said]");
  const button = form.querySelector("button[type=submit]");
  said.hidden = true;
  button.disabled = true;
  try {
    const asked = await options(form);
    const credential = await (form.dataset.passkey === "add" ? made(asked) : used(asked));
    form.elements.namedItem("credential").value = JSON.stringify(written(credential));
    form.submit();
  } catch (error) {
    said.textContent = reason(error);
    said.hidden = false;
    button.disabled = false;
  }
}

for (const form of findAll(document, "form[data-passkey]")) {
  if (!window.PublicKeyCredential) continue; // the form explains the alternatives or stays hidden
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ask(form);
  });
}
