package dev.errand.story;

import dev.errand.kit.AnthropicStub;
import dev.errand.kit.StubWire;

class AnthropicStoryIT implements ProviderStory {

  @Override
  public StubWire wire() {
    return new AnthropicStub();
  }
}
