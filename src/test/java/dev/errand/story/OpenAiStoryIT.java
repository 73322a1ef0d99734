package dev.errand.story;

import dev.errand.kit.OpenAiStub;
import dev.errand.kit.StubWire;

class OpenAiStoryIT implements ProviderStory {

  @Override
  public StubWire wire() {
    return new OpenAiStub();
  }
}
